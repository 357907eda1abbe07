#include "cli/described_file.h"

#include <utility>

#include "json/json.h"
#include "terminal/text_width.h"

namespace landfall::cli {

using json::Json;

std::string DescribedFile::why_not() const { return error.empty() ? "file not found" : terminal::printable(error); }

DescribedFile DescribedFiles::fetch(api::DownloadTarget target) {
  if (!silence_.empty()) return {.is_wanted = true, .error = silence_};
  auto document = artifacts_.document(target, name_);
  if (document && !*document) return {.is_wanted = true};
  if (document) return {.is_wanted = true, .document = std::make_shared<const Json>(**std::move(document))};
  if (document.error().code() == Code::kTimeout) silence_ = document.error().message();
  return {.is_wanted = true, .error = document.error().message()};
}

}  // namespace landfall::cli
