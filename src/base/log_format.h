#pragma once

#include <string>

#include "base/log.h"

// Log entries as lines, byte for byte as logrus writes them, since scripts read Velero's logs. Both end with one "\n".
// A field that is named time, level, msg or logrus_error is written as fields.time and so on.

namespace landfall {

// time="2026-11-15T07:29:43Z" level=info msg="…" backup=velero/bookshop logSource="pkg/x.go:1"
// Fields are sorted by name. A value is quoted unless it holds nothing but letters, digits and -._/@^+; an empty value
// is nothing at all (`namespace=`), and an empty message has no msg.
std::string format_text(const LogEntry& entry);

// {"backup":"velero/bookshop","level":"info","msg":"…","time":"2026-11-15T07:29:43Z"}, names sorted.
// A number that JSON cannot hold (NaN, infinity) is written as null, so that its line is not lost.
std::string format_json(const LogEntry& entry);

}  // namespace landfall
