#pragma once

#include <span>
#include <string_view>

#include "base/result.h"
#include "k8s/field_selector.h"
#include "k8s/label_selector.h"
#include "sandbox/stored_object.h"
#include "sandbox_kinds/kind_info.h"

namespace landfall::sandbox {

// Which objects of a kind a list or watch is about. Labels and names are looked up without parsing the whole object. An
// immutable value.
class Selection {
 public:
  Selection() = default;
  Selection(k8s::LabelSelector labels, k8s::FieldSelector fields);

  // A 400 when the selector names a field that the server does not offer for the kind.
  static Status check_fields(const KindInfo& kind, const k8s::FieldSelector& fields);

  bool is_everything() const { return labels_.empty() && fields_.empty(); }
  bool matches(const StoredObject& object) const;

 private:
  bool fields_match(const StoredObject& object) const;

  k8s::LabelSelector labels_;
  k8s::FieldSelector fields_;
  bool needs_document_ = false;
};

}  // namespace landfall::sandbox
