#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

#include "json/json_fwd.h"
#include "k8s/names.h"
#include "sandbox_kinds/validation.h"

// Kubernetes' sentences about one field, as causes. For the validation files of this module.
namespace landfall::sandbox {

Cause required_cause(std::string field, std::string_view detail = {});
// The value is printed as JSON, as a server prints what it refuses.
Cause invalid_cause(std::string field, const json::Json& value, std::string_view detail);
// For values that a server prints in the words of its own types: `shown` is that text.
Cause invalid_shown_cause(std::string field, std::string_view shown, std::string_view detail);
Cause unsupported_shown_cause(std::string field, std::string_view shown,
                              std::initializer_list<std::string_view> allowed);
Cause unsupported_cause(std::string field, const json::Json& value, std::initializer_list<std::string_view> allowed);
Cause forbidden_cause(std::string field, std::string_view detail);
Cause duplicate_cause(std::string field, const json::Json& value);
Cause not_found_cause(std::string field, const json::Json& value);
// A port's number that is out of range.
Cause bad_port_cause(std::string field, const json::Json& value);
bool is_port_number(const json::Json& value);
Cause too_long_cause(std::string field, std::size_t limit);

// One cause for each problem of a name.
void add_problems(Causes& causes, const std::string& field, std::string_view value, const k8s::Problems& problems);
// A text of the parent that is none of those allowed; a missing one is fine. The parent's field ends in a dot, or is
// empty at the top.
void add_if_unsupported(Causes& causes, const std::string& parent_field, const json::Json& parent, std::string_view key,
                        std::initializer_list<std::string_view> allowed);
// A number of the parent below zero.
void add_if_negative(Causes& causes, const std::string& parent_field, const json::Json& parent, std::string_view key);
// "field is immutable", when the two differ. Null stands for a missing value.
void add_if_changed(Causes& causes, const std::string& field, const json::Json* old, const json::Json* next);

}  // namespace landfall::sandbox
