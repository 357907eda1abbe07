// Round trips of tar and gzip over random input, alone, together, and with the programs of the same names.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <filesystem>
#include <map>

#include "base/clock.h"
#include "io/file.h"
#include "io/gzip_reader.h"
#include "io/gzip_writer.h"
#include "io/tar_name.h"
#include "io/tar_reader.h"
#include "io/tar_writer.h"
#include "io/test_support.h"

namespace landfall::io {
namespace {

struct Item {
  std::string name;
  std::string content;
  std::int64_t mtime = 0;
};

std::string repeated(std::string_view text, std::size_t size) {
  std::string all;
  while (all.size() < size) {
    all += text;
  }
  return all;
}

// Names around the limits of 100, 155 and 255 bytes, of ASCII and of other letters.
rc::Gen<std::string> name_part() {
  return rc::gen::apply(
      [](const std::string& letter, std::size_t size) { return repeated(letter, size); },
      rc::gen::element<std::string>("a", "pod-1.", "ü", "日本", "%s"),
      rc::gen::oneOf(rc::gen::inRange<std::size_t>(1, 30), rc::gen::inRange<std::size_t>(90, 130),
                     rc::gen::inRange<std::size_t>(150, 160), rc::gen::inRange<std::size_t>(200, 250)));
}

rc::Gen<std::string> name() {
  return rc::gen::map(rc::gen::resize(4, rc::gen::nonEmpty(rc::gen::container<std::vector<std::string>>(name_part()))),
                      [](const std::vector<std::string>& parts) {
                        std::string joined;
                        for (const std::string& part : parts) {
                          joined += (joined.empty() ? "" : "/") + part;
                        }
                        return joined;
                      });
}

// Bytes of sizes around a block's, and some larger; some compress well, some not at all.
rc::Gen<std::string> content() {
  const auto size =
      rc::gen::oneOf(rc::gen::inRange<std::size_t>(0, 3), rc::gen::inRange<std::size_t>(510, 515),
                     rc::gen::inRange<std::size_t>(0, 5000), rc::gen::inRange<std::size_t>(60'000, 200'000));
  return rc::gen::apply(
      [](const std::string& seed, std::size_t bytes) {
        std::string all = repeated(seed + "\n", bytes);
        all.resize(bytes);
        return all;
      },
      rc::gen::arbitrary<std::string>(), size);
}

rc::Gen<std::vector<Item>> items() {
  const auto item =
      rc::gen::build<Item>(rc::gen::set(&Item::name, name()), rc::gen::set(&Item::content, content()),
                           rc::gen::set(&Item::mtime, rc::gen::inRange<std::int64_t>(-1'000'000'000, 9'000'000'000)));
  return rc::gen::resize(8, rc::gen::container<std::vector<Item>>(item));
}

std::string tar_of(const std::vector<Item>& all, bool from_readers) {
  StringWriter sink;
  TarWriter tar(sink);
  for (const Item& item : all) {
    const TarFile file{.name = item.name, .mtime = WallTime(std::chrono::seconds(item.mtime))};
    StepReader reader(item.content, 1000);
    const Status added = from_readers ? tar.add(file, item.content.size(), reader) : tar.add(file, item.content);
    RC_ASSERT(added.has_value());
  }
  RC_ASSERT(tar.close());
  RC_ASSERT(tar.position() == sink.str().size());
  return sink.take();
}

void check_items(Reader& source, const std::vector<Item>& expected) {
  TarReader reader(source);
  for (const Item& item : expected) {
    const auto entry = reader.next();
    RC_ASSERT(entry);
    RC_ASSERT(*entry != nullptr);
    RC_ASSERT((*entry)->name == item.name);
    RC_ASSERT((*entry)->type == TarEntryType::kFile);
    RC_ASSERT((*entry)->size == item.content.size());
    RC_ASSERT((*entry)->mtime.time_since_epoch().count() == item.mtime);
    RC_ASSERT(read_all(reader.content(), 1UL << 20U) == item.content);
  }
  RC_ASSERT(reader.next() == nullptr);
}

std::string gzip(std::string_view bytes, GzipOptions options, std::size_t step) {
  StringWriter sink;
  GzipWriter writer(sink, options);
  StepReader reader(bytes, step);
  RC_ASSERT(copy(reader, writer));
  RC_ASSERT(writer.close());
  return sink.take();
}

RC_GTEST_PROP(ArchiveProperty, WhatIsPackedIsUnpacked, ()) {
  const auto all = *items();
  const std::string tar = tar_of(all, *rc::gen::arbitrary<bool>());
  StepReader source(tar, *rc::gen::inRange<std::size_t>(1, 70'000));
  check_items(source, all);
}

RC_GTEST_PROP(ArchiveProperty, WhatIsPackedAndCompressedIsUnpacked, ()) {
  const auto all = *items();
  const std::string compressed = gzip(tar_of(all, false), {.level = *rc::gen::inRange(1, 13)}, 10'000);
  StepReader source(compressed, *rc::gen::inRange<std::size_t>(1, 70'000));
  GzipReader gzip_reader(source);
  check_items(gzip_reader, all);
}

RC_GTEST_PROP(ArchiveProperty, GzipRestoresTheBytes, ()) {
  // Past one MiB now and then, so that there are several members.
  std::string bytes = *content();
  if (*rc::gen::inRange(0, 10) == 0) {
    bytes = repeated(repeated(bytes + "x", 1000), 2'500'000);
  }
  const std::string compressed =
      gzip(bytes, {.level = *rc::gen::inRange(1, 13), .workers = *rc::gen::inRange(1U, 4U)}, 30'000);
  StepReader source(compressed, *rc::gen::inRange<std::size_t>(1, 70'000));
  GzipReader reader(source, {.ratio = 0});
  RC_ASSERT(read_all(reader, 1UL << 24U) == bytes);
}

// Starting programs is slow: fewer, larger cases.
RC_GTEST_PROP(ArchiveProperty, TheRealProgramsReadOurs, ()) {
  if (*rc::gen::inRange(0, 6) != 0) {
    return;
  }
  const auto all = *items();
  const std::string tar = run_program({"gzip", "-dc"}, gzip(tar_of(all, false), {}, 10'000));
  std::string names;
  std::string contents;
  for (const Item& item : all) {
    names += item.name + "\n";
    contents += item.content;
  }
  RC_ASSERT(run_program({"tar", "t", "--quoting-style=literal"}, tar) == names);
  RC_ASSERT(run_program({"tar", "xO"}, tar) == contents);
}

RC_GTEST_PROP(ArchiveProperty, WeReadThoseOfTheRealPrograms, ()) {
  if (*rc::gen::inRange(0, 6) != 0) {
    return;
  }
  const TempDir directory = make_temp_dir();
  std::map<std::string, std::string> files;
  std::vector<std::string> argv = {"tar", "c", "--format=" + *rc::gen::element<std::string>("gnu", "pax")};
  for (const Item& item : *items()) {
    // One component fits into a file system's 255 bytes; a prefix keeps files and directories apart.
    const std::string path = "d/" + item.name + ".f";
    if (files.emplace(path, item.content).second) {
      std::filesystem::create_directories(directory.path(path.substr(0, path.rfind('/'))));
      RC_ASSERT(write_file(directory.path(path), item.content));
      argv.push_back(path);
    }
  }
  if (files.empty()) {
    argv.emplace_back("--files-from=/dev/null");
  }
  const std::string compressed = run_program({"gzip", "-c"}, run_program(argv, "", directory.path()));
  StringReader source(compressed);
  GzipReader gzip_reader(source);
  TarReader reader(gzip_reader);
  for (std::size_t i = 0; i < files.size(); ++i) {
    const auto entry = reader.next();
    RC_ASSERT(entry);
    RC_ASSERT(read_all(reader.content(), 1UL << 20U) == files.at((*entry)->name));
  }
  RC_ASSERT(reader.next() == nullptr);
}

}  // namespace
}  // namespace landfall::io
