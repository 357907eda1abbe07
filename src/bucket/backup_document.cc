#include "bucket/backup_document.h"

#include <fmt/format.h>

#include "base/quote.h"
#include "json/access.h"
#include "json/json.h"

namespace landfall::bucket {

Status check_is_backup(const json::Json& document, const BackupFolder& folder) {
  const std::string kind = json::string_or(document, {"kind"}, "");
  const std::string version = json::string_or(document, {"apiVersion"}, "");
  if (kind != "Backup" || version != "velero.io/v1") {
    return fail(Code::kDataLoss, fmt::format("{}: expected a velero.io/v1 Backup, found kind {} of {}",
                                             folder.key(BackupArtifact::kMetadata), quote(kind), quote(version)));
  }
  const std::string name = json::string_or(document, {"metadata", "name"}, "");
  if (name == folder.name()) return {};
  return fail(Code::kDataLoss,
              fmt::format("{}: this is the Backup {}", folder.key(BackupArtifact::kMetadata), quote(name)));
}

}  // namespace landfall::bucket
