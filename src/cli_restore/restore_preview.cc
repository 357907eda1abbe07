#include "cli_restore/restore_preview.h"

#include "base/strings.h"
#include "cli/server_version.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"

namespace landfall::cli {

using json::Json;

namespace {

bool is_preview(const Json& restore) { return json::bool_or(restore, {"spec", "preview"}, false); }

tl::unexpected<Error> unknown_field() {
  return fail(Code::kUnsupported,
              "the definitions in the cluster do not know spec.preview, so a preview would be a restore; nothing was "
              "created. Bring in Landfall's with 'landfall install --crds-only'");
}

}  // namespace

Result<Json> create_preview(const kube::Resource& restores, Json restore, const Context& context) {
  TRY_ASSIGN(const std::string version, "", ask_server_version(restores.client(), restores.name_space(), context));
  if (!is_landfall(version)) {
    return fail(Code::kUnsupported, "the server is not Landfall but version " + quote(version) +
                                        ", which cannot preview: it would restore. Nothing was created");
  }
  TRY("", json::set_at(restore, {"spec", "preview"}, true));
  // Servers that do not check fields strictly leave out what they do not know: that is seen, too.
  const auto tried = restores.create(restore, context.stop, {.dry_run = true, .field_validation = "Strict"});
  if (!tried && tried.error().code() == Code::kInvalid && contains(tried.error().message(), "preview")) {
    return unknown_field();
  }
  if (!tried) return fail("preview", tried.error());
  if (!is_preview(*tried)) return unknown_field();

  TRY_ASSIGN(Json created, "preview", restores.create(restore, context.stop, {.field_validation = "Strict"}));
  if (is_preview(created)) return created;
  // Somebody has changed the definitions in this very moment.
  const k8s::ObjectView view(created);
  TRY("remove a preview that lost its field",
      restores.remove(std::string(view.name()), context.stop, {.uid = std::string(view.uid())}));
  return unknown_field();
}

}  // namespace landfall::cli
