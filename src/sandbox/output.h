#pragma once

#include <string>

#include "base/clock.h"
#include "json/json_fwd.h"
#include "sandbox/request.h"
#include "sandbox/stored_object.h"
#include "sandbox_kinds/kind_info.h"

// How objects look in answers: as they are, as metadata alone, as rows of a table. Pure.
namespace landfall::sandbox {

// A document as the answer's body, in the format's spelling (one line, indented, YAML).
std::string body_text(const json::Json& document, const OutputFormat& format);
std::string content_type(const OutputFormat& format);

// One object as the answer to a request for it.
std::string object_body(const KindInfo& kind, const StoredObject& object, const OutputFormat& format, WallTime now);

// One element of a list: an item, or a row of a table. One line of JSON.
std::string list_element(const KindInfo& kind, const StoredObject& object, const OutputFormat& format, WallTime now);

// What stands around the elements of a list.
struct ListFrame {
  std::string before;  // ends in [
  std::string after;
};
ListFrame list_frame(const KindInfo& kind, const json::Json& list_metadata, const OutputFormat& format);

// The object of a watch event. `with_columns`: the first event of a watch that asks for tables.
std::string event_object(const KindInfo& kind, const StoredObject& object, const OutputFormat& format,
                         bool with_columns, WallTime now);

}  // namespace landfall::sandbox
