#include "control/uploader_repository_manager.h"

#include "json/access.h"
#include "json/json.h"

namespace landfall::control {

Result<extension::RepositoryAccess> UploaderRepositoryManager::access(const json::Json& repository,
                                                                      const FoundLocation& location,
                                                                      const std::stop_token& stop) const {
  return find_repository_(location.object, uploader_.type(),
                          json::string_or(repository, {"spec", "volumeNamespace"}, ""), stop);
}

Result<std::string> UploaderRepositoryManager::prepare(const json::Json& repository, const FoundLocation& location,
                                                       IfMissing if_missing, const std::stop_token& stop) {
  TRY_ASSIGN(const extension::RepositoryAccess place, "", access(repository, location, stop));
  const bool may_create = if_missing == IfMissing::kCreate && uploader_.can_upload();
  TRY("", uploader_.open(place, may_create ? extension::IfMissing::kCreate : extension::IfMissing::kFail, stop));
  return uploader_.address(place);
}

Status UploaderRepositoryManager::maintain(const json::Json& repository, const FoundLocation& location,
                                           const std::stop_token& stop) {
  if (!uploader_.can_upload()) return {};
  TRY_ASSIGN(const extension::RepositoryAccess place, "", access(repository, location, stop));
  return uploader_.maintain(place, stop);
}

}  // namespace landfall::control
