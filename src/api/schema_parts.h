#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "api/enum_names.h"
#include "api/schema.h"

// Parts that several kinds have in common.
namespace landfall::api {

// One of an enum's names.
template <Named E>
Schema name_of() {
  return one_of(std::span<const std::string_view>(EnumNames<E>::kValue));
}

// Objects of Kubernetes' own.
Schema label_selector();
Schema object_reference();       // to any object
Schema typed_local_reference();  // to an object of the same namespace, by kind and name
Schema secret_key();             // a key of a Secret

// Fields of hooks that say for which pods they are.
std::vector<Field> hook_filters();
Schema hook_error_mode();

Schema hook_status();
// Of a Backup and of a Schedule's template.
Schema backup_spec();

// status.progress, with Landfall's additions. `more` is what only one kind has.
Schema item_progress(const std::vector<Field>& more);
Schema byte_progress();
// Timestamps and a phase, as everything that moves a volume's bytes has them.
Schema transfer_status(const std::vector<Field>& more);

}  // namespace landfall::api
