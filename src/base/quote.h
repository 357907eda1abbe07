#pragma once

#include <string>
#include <string_view>

namespace landfall {

// The text in double quotes as Go's %q writes it, for messages and log lines: one line, and every byte can be told.
std::string quote(std::string_view text);
void append_quoted(std::string& out, std::string_view text);

// The text as a JSON string with its quotes, byte for byte as Go's encoder writes it: < > & and the two Unicode line
// separators are escaped as well. The output is always valid UTF-8; a byte that is not becomes \ufffd.
void append_json_string(std::string& out, std::string_view text);

}  // namespace landfall
