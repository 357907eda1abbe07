#include "plugin/messages.h"

#include "base/utf8.h"
#include "json/json.h"
#include "json/parse.h"

namespace landfall::plugin {
namespace {

using json::Json;

constexpr std::int64_t kLatestSecond = 9'000'000'000;  // what fits into nanoseconds of 64 bits, nearly
constexpr std::int64_t kNanoseconds = 1'000'000'000;

template <class Strings>
std::vector<std::string> texts_of(const Strings& strings) {
  return {strings.begin(), strings.end()};
}

}  // namespace

extension::ActionScope scope_of(const generated::ResourceSelector& selector) {
  return {.included_namespaces = texts_of(selector.included_namespaces()),
          .excluded_namespaces = texts_of(selector.excluded_namespaces()),
          .included_resources = texts_of(selector.included_resources()),
          .excluded_resources = texts_of(selector.excluded_resources()),
          .label_selector = selector.selector()};
}

std::vector<k8s::ObjectRef> refs_of(const Identifiers& identifiers) {
  std::vector<k8s::ObjectRef> refs;
  refs.reserve(static_cast<std::size_t>(identifiers.size()));
  for (const auto& one : identifiers) {
    refs.push_back({.resource = {.group = one.group(), .resource = one.resource()},
                    .name_space = one.namespace_(),
                    .name = one.name()});
  }
  return refs;
}

void add_refs(Identifiers& identifiers, const std::vector<k8s::ObjectRef>& refs) {
  for (const k8s::ObjectRef& ref : refs) {
    generated::ResourceIdentifier& one = *identifiers.Add();
    one.set_group(ref.resource.group);
    one.set_resource(ref.resource.resource);
    one.set_namespace_(ref.name_space);
    one.set_name(ref.name);
  }
}

std::optional<WallTime> time_of(const google::protobuf::Timestamp& stamp) {
  const bool is_known = stamp.seconds() >= -kLatestSecond && stamp.seconds() <= kLatestSecond && stamp.nanos() >= 0 &&
                        stamp.nanos() < kNanoseconds;
  if (!is_known) return std::nullopt;
  return WallTime(std::chrono::seconds(stamp.seconds()) + std::chrono::nanoseconds(stamp.nanos()));
}

extension::OperationProgress progress_of(const generated::OperationProgress& progress) {
  extension::OperationProgress out{.is_completed = progress.completed(),
                                   .error = progress.err(),
                                   .done = progress.n_completed(),
                                   .total = progress.n_total(),
                                   .units = progress.operation_units(),
                                   .description = progress.description()};
  if (progress.has_started()) out.started = time_of(progress.started());
  if (progress.has_updated()) out.updated = time_of(progress.updated());
  return out;
}

Result<std::unique_ptr<Json>> changed_item(const std::string& sent, const std::string& returned) {
  if (returned == sent) return std::unique_ptr<Json>();
  if (returned.empty()) return fail(Code::kInvalid, "it returned no object");
  TRY_ASSIGN(Json object, "the object that it returned", json::parse(returned));
  const bool has_kind = object.is_object() && object.contains("kind") && object["kind"].is_string();
  if (!has_kind) return fail(Code::kInvalid, "what it returned is no Kubernetes object");
  return std::make_unique<Json>(std::move(object));
}

struct OwnerText::Entry {
  Json owner;
  std::shared_ptr<const std::string> text;
};

std::shared_ptr<const std::string> OwnerText::of(const Json& owner) {
  const std::shared_ptr<const Entry> last = last_.copy();
  if (last && last->owner == owner) return last->text;
  auto text = std::make_shared<const std::string>(json::dump_go(owner));
  last_.with([next = std::make_shared<const Entry>(Entry{owner, text})](auto& value) mutable { value.swap(next); });
  return text;
}

}  // namespace landfall::plugin
