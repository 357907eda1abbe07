#pragma once

#include "base/clock.h"
#include "json/json_fwd.h"
#include "sandbox_kinds/kind_info.h"

// The table that `kubectl get` asks for (Accept: …;as=Table;g=meta.k8s.io;v=v1). Pure.
namespace landfall::sandbox {

// `columnDefinitions` of the table of a kind. Kinds without a printer of their own have the name and the creation time.
json::Json table_columns(const KindInfo& kind);

// The `cells` of one row, in the order of the columns. Ages are counted from `now`.
json::Json table_row_cells(const KindInfo& kind, const json::Json& object, WallTime now);

}  // namespace landfall::sandbox
