#include "plugin_kit/wire.h"

#include "json/parse.h"

namespace landfall::plugin_kit {

void put_time(WallTime from, google::protobuf::Timestamp& to) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(from);
  to.set_seconds(seconds.time_since_epoch().count());
  to.set_nanos(static_cast<std::int32_t>((from - seconds).count()));
}

void put_scope(const extension::ActionScope& from, generated::ResourceSelector& to) {
  for (const std::string& one : from.included_namespaces) to.add_included_namespaces(one);
  for (const std::string& one : from.excluded_namespaces) to.add_excluded_namespaces(one);
  for (const std::string& one : from.included_resources) to.add_included_resources(one);
  for (const std::string& one : from.excluded_resources) to.add_excluded_resources(one);
  to.set_selector(from.label_selector);
}

void put_progress(const extension::OperationProgress& from, generated::OperationProgress& to) {
  to.set_completed(from.is_completed);
  to.set_err(from.error);
  to.set_n_completed(from.done);
  to.set_n_total(from.total);
  to.set_operation_units(from.units);
  to.set_description(from.description);
  if (from.started) put_time(*from.started, *to.mutable_started());
  if (from.updated) put_time(*from.updated, *to.mutable_updated());
}

void put_refs(const std::vector<k8s::ObjectRef>& from,
              google::protobuf::RepeatedPtrField<generated::ResourceIdentifier>& to) {
  for (const k8s::ObjectRef& ref : from) {
    generated::ResourceIdentifier& one = *to.Add();
    one.set_group(ref.resource.group);
    one.set_resource(ref.resource.resource);
    one.set_namespace_(ref.name_space);
    one.set_name(ref.name);
  }
}

std::vector<k8s::ObjectRef> refs_in(const google::protobuf::RepeatedPtrField<generated::ResourceIdentifier>& from) {
  std::vector<k8s::ObjectRef> refs;
  for (const generated::ResourceIdentifier& one : from) {
    refs.push_back({.resource = {.group = one.group(), .resource = one.resource()},
                    .name_space = one.namespace_(),
                    .name = one.name()});
  }
  return refs;
}

Result<std::shared_ptr<const json::Json>> LastDocument::parse(const std::string& bytes) {
  auto known = last_.with(
      [&](const Last& last) { return last.bytes == bytes ? last.document : std::shared_ptr<const json::Json>(); });
  if (known) return known;
  TRY_ASSIGN(json::Json document, "", json::parse(bytes));
  auto parsed = std::make_shared<const json::Json>(std::move(document));
  last_.with([&](Last& last) { last = {.bytes = bytes, .document = parsed}; });
  return std::shared_ptr<const json::Json>(parsed);
}

}  // namespace landfall::plugin_kit
