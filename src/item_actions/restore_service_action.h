#pragma once

#include <memory>

#include "api/restore.h"
#include "extension/item_action.h"

namespace landfall::item_actions {

// "velero.io/service": a Service gets new cluster addresses, unless it is headless, and new node ports, unless the
// restore preserves them. Ports that somebody chose stay: those that the annotation kubectl.kubernetes.io/
// last-applied-configuration names or, without it, those that managedFields say somebody has set.
//
// As in Velero, an annotation that cannot be read fails the Service with kInvalid: which ports were chosen is then
// unknown, and guessing would either break clients or collide with others. The spec is borrowed.
std::unique_ptr<extension::RestoreItemAction> make_restore_service_action(const api::RestoreSpec& spec);

}  // namespace landfall::item_actions
