// Any bytes, as a tar.gz, as the tar in one, and as a list of entries: an archive that is read can be rewritten without
// replacements, and then holds the same.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "archive/archive_rewrite.h"
#include "archive/summary.h"
#include "archive/test_archives.h"

namespace landfall::archive {
namespace {

constexpr ArchiveLimits kLimits{
    .total_size = 1UL << 24U, .item_size = 1UL << 20U, .entries = 1000, .name_length = 300, .index_size = 1UL << 18U};

void check(bool holds) {
  if (!holds) {
    __builtin_trap();
  }
}

// By path: the plain form has no version.
using Contents = std::map<std::pair<std::string, std::string>, std::string>;

Contents contents(const SpooledArchive& archive) {
  Contents all;
  std::int64_t plain = 0;
  for (const IndexedItem item : archive.index().items()) {
    check(archive.index().find(item.resource(), item.namespace_name(), item.name()) == item);
    if (item.content()) {
      ++plain;
      all[{item.path(), ""}] = archive.content(item).value();
    }
    for (const ItemVersion& version : item.versions()) {
      all[{item.path(), std::string(version.version) + (version.is_preferred ? "+" : "")}] =
          archive.content(version.content).value();
    }
  }
  check(plain == archive.index().item_count());
  return all;
}

void check_archive(std::string_view bytes) {
  const auto archive = read_archive(bytes, kLimits);
  if (!archive) {
    check(!archive.error().message().empty());
    return;
  }
  io::StringReader source(bytes);
  io::StringWriter sink;
  const auto counts = rewrite_archive(source, {}, {.written_at = kTestTime, .limits = kLimits}, sink, {}, {});
  check(counts.has_value());
  // The copy has no directories and no extended headers but its own: its size and ratio are its own, too.
  const auto again = read_archive(sink.str());
  check(again.has_value());
  check(contents(*again) == contents(*archive));
  check(again->facts().format_version == archive->facts().format_version);
  check(again->facts().strange == archive->facts().strange);

  io::StringReader once_more(bytes);
  const auto summary = summarize(once_more, {}, [](std::string_view) {});
  check(summary.has_value() && summary->items >= archive->index().item_count());
}

// One entry after another: a byte for the type, and name and content, each after a byte for its length.
std::string archive_from(std::string_view bytes) {
  const auto take = [&](std::size_t count) {
    const std::string_view taken = bytes.substr(0, count);
    bytes.remove_prefix(taken.size());
    return std::string(taken);
  };
  const auto take_text = [&] {
    const std::string size = take(1);
    return size.empty() ? "" : take(static_cast<unsigned char>(size.front()));
  };
  std::vector<TestEntry> entries;
  while (!bytes.empty() && entries.size() < 100) {
    TestEntry entry;
    entry.type = take(1).front();
    entry.name = take_text();
    entry.content = take_text();
    entries.push_back(std::move(entry));
  }
  return archive_of(entries);
}

}  // namespace
}  // namespace landfall::archive

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  landfall::archive::check_archive(bytes);
  landfall::archive::check_archive(landfall::archive::gzip_of(bytes));
  landfall::archive::check_archive(landfall::archive::archive_from(bytes));
  return 0;
}
