#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "bucket/layout.h"
#include "io/stream.h"
#include "json/json_fwd.h"

// Artifacts as bytes: written as Velero writes them, read with a limit for everything.
namespace landfall::bucket {

// Documents are held in memory; a resource list of 300,000 items takes about 20 MiB.
inline constexpr std::size_t kMaxDocument = std::size_t{64} << 20U;

// A document in one of the two JSON forms. Go's spelling, one line and a newline where it is compressed.
std::string encode(const json::Json& document, Form form);

// Reads to the end: a document that is followed by anything but white space is damaged, and so is one that is not
// whole (kDataLoss).
Result<json::Json> decode(io::Reader& bytes, Form form);

// A document from outside. Some texts are small and their documents are not ("[[],[],…"): past some million values it
// is kTooLarge, and kDataLoss for what is no JSON.
Result<json::Json> parse_document(std::string_view text);

// Text that is kept compressed, as a stream of what it says.
std::unique_ptr<io::Reader> decompressed(std::unique_ptr<io::Reader> bytes);

}  // namespace landfall::bucket
