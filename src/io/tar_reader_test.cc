#include "io/tar_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <iomanip>
#include <sstream>

#include "io/file.h"
#include "io/gzip_reader.h"
#include "io/tar_writer.h"
#include "io/test_support.h"

namespace landfall::io {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kEndMark(2 * kTarBlockSize, '\0');

TarHeader header(std::string_view name, char type = kTarFile, std::string_view link = "", std::int64_t size = 0) {
  TarHeader made;
  made.name = name;
  made.type = type;
  made.link = link;
  made.size = size;
  return made;
}

// One entry as its bytes. `change` may spoil the header before its checksum is made right again.
std::string raw_entry(TarHeader header, std::string_view content = "",
                      const std::function<void(TarBlock&)>& change = nullptr) {
  if (header.size == 0) {
    header.size = static_cast<std::int64_t>(content.size());
  }
  TarBlock block = encode_tar_header(header);
  if (change) {
    change(block);
    std::fill_n(block.begin() + 148, 8, ' ');
    int sum = 0;
    for (const char c : block) {
      sum += static_cast<unsigned char>(c);
    }
    const std::string digits = (std::ostringstream() << std::oct << std::setw(6) << std::setfill('0') << sum).str();
    std::copy_n(digits.begin(), 6, block.begin() + 148);
    block.at(154) = '\0';
  }
  std::string bytes(block.data(), block.size());
  bytes.append(content);
  bytes.resize((bytes.size() + kTarBlockSize - 1) / kTarBlockSize * kTarBlockSize, '\0');
  return bytes;
}

std::string pax(const std::string& records) { return raw_entry(header("x", kTarPax), records); }

struct Listing {
  std::vector<std::string> names;
  std::vector<std::string> contents;
  std::vector<TarEntry> entries;
  std::optional<Error> error;
};

Listing list(std::string_view archive, TarLimits limits = {}, std::size_t step = 1000) {
  Listing listing;
  StepReader source(archive, step);
  TarReader reader(source, limits);
  while (true) {
    const auto entry = reader.next();
    if (!entry) {
      listing.error = entry.error();
      return listing;
    }
    if (*entry == nullptr) {
      return listing;
    }
    listing.entries.push_back(**entry);
    listing.names.push_back((*entry)->name);
    auto content = read_all(reader.content(), 1UL << 20U);
    if (!content) {
      listing.error = content.error();
      EXPECT_EQ(reader.next().error(), content.error()) << "an error stays";
      return listing;
    }
    listing.contents.push_back(*std::move(content));
  }
}

Error error_of(std::string_view archive, TarLimits limits = {}) {
  return list(archive, limits).error.value_or(Error(Code::kInternal, "no error"));
}

std::string small_archive() {
  StringWriter sink;
  TarWriter tar(sink);
  EXPECT_TRUE(tar.add({.name = "one", .mtime = WallTime(std::chrono::seconds(7))}, "first"));
  EXPECT_TRUE(tar.add({.name = std::string(120, 'n'), .mtime = WallTime()}, std::string(600, 'x')));
  EXPECT_TRUE(tar.close());
  return sink.take();
}

TEST(TarReader, TellsWhereEveryEntryIs) {
  const std::string archive = small_archive();
  const Listing listing = list(archive);
  ASSERT_FALSE(listing.error) << listing.error->message();
  ASSERT_THAT(listing.names, ElementsAre("one", std::string(120, 'n')));
  EXPECT_THAT(listing.contents, ElementsAre("first", std::string(600, 'x')));
  EXPECT_EQ(listing.entries[0].header_offset, 0U);
  EXPECT_EQ(listing.entries[0].content_offset, 512U);
  EXPECT_EQ(listing.entries[0].mtime.time_since_epoch(), std::chrono::seconds(7));
  EXPECT_EQ(listing.entries[0].mode, 0755U);
  EXPECT_EQ(listing.entries[1].header_offset, 1024U) << "the extended header is part of the entry";
  EXPECT_EQ(archive.substr(listing.entries[1].content_offset, listing.entries[1].size), std::string(600, 'x'));
}

TEST(TarReader, SkipsWhatIsNotRead) {
  const std::string archive = small_archive();
  StepReader source(archive, 100);
  TarReader reader(source);
  ASSERT_TRUE(reader.next());
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(*reader.next(), nullptr);
  EXPECT_EQ(*reader.next(), nullptr) << "the end stays the end";
}

TEST(TarReader, ShowsEveryTypeToItsCaller) {
  const std::string archive = raw_entry(header("file")) + raw_entry(header("dir/", '5')) +
                              raw_entry(header("old-dir/")) + raw_entry(header("hard", '1', "file")) +
                              raw_entry(header("soft", '2', "/etc/passwd")) + raw_entry(header("char", '3')) +
                              raw_entry(header("block", '4')) + raw_entry(header("fifo", '6')) +
                              raw_entry(header("odd", 'V'), "label") + kEndMark;
  const Listing listing = list(archive);
  ASSERT_FALSE(listing.error) << listing.error->message();
  std::vector<std::string> types;
  for (const TarEntry& entry : listing.entries) {
    types.emplace_back(to_string(entry.type));
  }
  EXPECT_THAT(types, ElementsAre("file", "directory", "directory", "hard link", "symbolic link", "device", "device",
                                 "fifo", "entry of an unknown type"));
  EXPECT_EQ(listing.entries[4].link, "/etc/passwd");
}

TEST(TarReader, HandsOutNamesAsTheyAre) {
  const std::string archive = raw_entry(header("../../etc/passwd")) + raw_entry(header("\xff\xfe")) +
                              raw_entry(header("")) + pax(format_pax_record("path", "/abs\xc3\x28")) +
                              raw_entry(header("short")) + kEndMark;
  const Listing listing = list(archive);
  EXPECT_EQ(listing.error.value_or(Error(Code::kInternal, "")).message(), "");
  EXPECT_THAT(listing.names, ElementsAre("../../etc/passwd", "\xff\xfe", "", "/abs\xc3\x28"));
}

TEST(TarReader, ReadsGnuLongNamesAndLinks) {
  const std::string name(300, 'n');
  const std::string link(200, 'l');
  const std::string archive = raw_entry(header("././@LongLink", kTarGnuLongLink), link + '\0') +
                              raw_entry(header("././@LongLink", kTarGnuLongName), name + '\0') +
                              raw_entry(header("n", '2', "l")) + raw_entry(header("next")) + kEndMark;
  const Listing listing = list(archive);
  ASSERT_FALSE(listing.error) << listing.error->message();
  EXPECT_THAT(listing.names, ElementsAre(name, "next"));
  EXPECT_EQ(listing.entries[0].link, link);
}

TEST(TarReader, ReadsWhatGnuTarWritesInEveryFormat) {
  const TempDir directory = make_temp_dir();
  const std::string deep = std::string(90, 'd') + "/" + std::string(120, 'e');
  run_program({"mkdir", "-p", deep}, "", directory.path());
  const std::string name = deep + "/" + std::string(70, 'f') + ".json";
  ASSERT_TRUE(write_file(directory.path(name), "content"));
  ASSERT_TRUE(write_file(directory.path("grüße"), std::string(10'000, 'g')));
  for (const std::string format : {"gnu", "pax", "posix", "oldgnu"}) {
    const Listing listing = list(run_program({"tar", "c", "--format=" + format, "grüße", name}, "", directory.path()));
    ASSERT_FALSE(listing.error) << format << ": " << listing.error->message();
    EXPECT_THAT(listing.names, ElementsAre("grüße", name)) << format;
    EXPECT_THAT(listing.contents, ElementsAre(std::string(10'000, 'g'), "content")) << format;
  }
}

TEST(TarReader, ReadsVelerosArchives) {
  auto file =
      FileReader::open(std::string(LANDFALL_SOURCE_DIR) + "/tests/data/velero-1.18.3/backups/bookshop/bookshop.tar.gz");
  ASSERT_TRUE(file) << file.error().message();
  GzipReader gzip(*file);
  const auto archive = read_all(gzip, 1UL << 24U);
  ASSERT_TRUE(archive) << archive.error().message();
  const Listing listing = list(*archive);
  ASSERT_FALSE(listing.error) << listing.error->message();
  std::string names;
  for (const std::string& name : listing.names) {
    names += name + "\n";
  }
  EXPECT_EQ(names, run_program({"tar", "t"}, *archive));
  EXPECT_THAT(listing.names, testing::Contains("metadata/version"));
}

TEST(TarReader, ReadsBinaryNumbers) {
  const std::string archive = raw_entry(header("f"), "12345",
                                        [](TarBlock& block) {
                                          std::fill_n(block.begin() + 124, 12, '\0');
                                          block.at(124) = '\x80';
                                          block.at(135) = 5;
                                          std::fill_n(block.begin() + 136, 12, '\xff');  // one second before 1970
                                        }) +
                              kEndMark;
  const Listing listing = list(archive);
  ASSERT_FALSE(listing.error) << listing.error->message();
  EXPECT_THAT(listing.contents, ElementsAre("12345"));
  EXPECT_EQ(listing.entries[0].mtime.time_since_epoch(), std::chrono::seconds(-1));
}

TEST(TarReader, ExtendedHeadersOverrideSizeAndTime) {
  const std::string archive = pax(format_pax_record("mtime", "-1.5") + format_pax_record("size", "5") +
                                  format_pax_record("comment", "x=y\n") + format_pax_record("path", "y")) +
                              raw_entry(header("f", kTarFile, "", 3), "12345") + kEndMark;
  const Listing listing = list(archive);
  ASSERT_FALSE(listing.error) << listing.error->message();
  EXPECT_THAT(listing.names, ElementsAre("y"));
  EXPECT_THAT(listing.contents, ElementsAre("12345"));
  EXPECT_EQ(listing.entries[0].mtime.time_since_epoch(), std::chrono::seconds(-2));
}

TEST(TarReader, EveryCutIsDataLossWithTheOffset) {
  const std::string archive = small_archive();
  for (std::size_t length = 0; length < archive.size(); ++length) {
    const Error error = error_of(archive.substr(0, length));
    ASSERT_EQ(error.code(), Code::kDataLoss) << "cut to " << length << ": " << error.message();
    ASSERT_THAT(error.message(), HasSubstr("tar offset ")) << length;
  }
}

TEST(TarReader, WhatFollowsTheEndIsDataLossUnlessItIsZeros) {
  const std::string archive = small_archive();
  EXPECT_FALSE(list(archive + std::string(10'000, '\0')).error);
  EXPECT_FALSE(list(archive + "\0").error);
  const Error error = error_of(archive + std::string(700, '\0') + "x");
  EXPECT_EQ(error.code(), Code::kDataLoss);
  EXPECT_EQ(error.message(),
            "tar offset " + std::to_string(archive.size() + 700) + ": something follows the end of the archive");
  EXPECT_EQ(error_of(archive + archive).code(), Code::kDataLoss);
}

TEST(TarReader, ALoneZeroBlockIsDataLoss) {
  const std::string half(kTarBlockSize, '\0');
  EXPECT_EQ(error_of(raw_entry(header("a")) + half + raw_entry(header("b")) + kEndMark).code(), Code::kDataLoss);
}

TEST(TarReader, EveryBitFlipInAHeaderIsAnError) {
  const std::string archive = raw_entry(header("a/b"), "x") + kEndMark;
  for (std::size_t bit = 0; bit < 8 * kTarBlockSize; ++bit) {
    std::string damaged = archive;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    // The checksum is a number between blanks: it can be written in more than one way.
    if (const Listing listing = list(damaged); !listing.error) {
      EXPECT_THAT(listing.names, ElementsAre("a/b"));
      EXPECT_TRUE(bit / 8 >= 148 && bit / 8 < 156) << "bit " << bit;
    }
  }
}

TEST(TarReader, RandomBytesAreNotAnArchive) {
  EXPECT_EQ(error_of(std::string(2000, 'x')).message(), "tar offset 0: not a tar header: its checksum is wrong");
  EXPECT_EQ(error_of("").message(), "tar offset 0: the archive is cut: its end mark is missing");
}

TEST(TarReader, RefusesWhatItCannotReadFaithfully) {
  const auto unmarked = [](TarBlock& block) { std::fill_n(block.begin() + 257, 8, '\0'); };
  EXPECT_EQ(error_of(raw_entry(header("v7"), "", unmarked) + kEndMark).code(), Code::kUnsupported);
  EXPECT_EQ(error_of(raw_entry(header("s", kTarGnuSparse), "x") + kEndMark).code(), Code::kUnsupported);
  EXPECT_EQ(error_of(pax(format_pax_record("GNU.sparse.major", "1")) + raw_entry(header("s"), "x") + kEndMark).code(),
            Code::kUnsupported);
  EXPECT_EQ(error_of(raw_entry(header("g", kTarPaxGlobal), "9 path=y\n") + kEndMark).code(), Code::kUnsupported);
  EXPECT_FALSE(list(raw_entry(header("g", kTarPaxGlobal), format_pax_record("comment", "x")) + kEndMark).error);
}

TEST(TarReader, RefusesWhatReadersDisagreeAbout) {
  EXPECT_EQ(error_of(raw_entry(header("l", '1', "x"), "content") + kEndMark).code(), Code::kDataLoss);
  EXPECT_EQ(error_of(raw_entry(header("d/", '5'), "content") + kEndMark).code(), Code::kDataLoss);
  EXPECT_EQ(error_of(pax("9 path=y\n") + pax("9 path=z\n") + raw_entry(header("f")) + kEndMark).code(),
            Code::kDataLoss);
  EXPECT_EQ(error_of(pax("9 path=y\n") + kEndMark).code(), Code::kDataLoss);
}

TEST(TarReader, RefusesMalformedExtendedHeaders) {
  using std::string_literals::operator""s;
  for (const std::string& records : {"path=y\n"s,
                                     "9 path=y"s,
                                     "99 path=y\n"s,
                                     "5 path=y\n"s,
                                     "0 path=y\n"s,
                                     "-9 path=y\n"s,
                                     "8 pathy\n"s,
                                     "5 =y\n"s,
                                     "9 path=yx"s,
                                     "18446744073709551616 a=b\n"s,
                                     "18446744073709551615 a=b\n"s,
                                     format_pax_record("path", "a\0b"s),
                                     format_pax_record("linkpath", "\0"s),
                                     format_pax_record("size", "-1"),
                                     format_pax_record("size", "x"),
                                     format_pax_record("size", "1.5"),
                                     format_pax_record("size", "99999999999999999999"),
                                     format_pax_record("mtime", "x"),
                                     format_pax_record("mtime", "1.x"),
                                     format_pax_record("mtime", "."),
                                     format_pax_record("mtime", "9000000000000000000")}) {
    EXPECT_EQ(error_of(pax(records) + raw_entry(header("f")) + kEndMark).code(), Code::kDataLoss) << records;
  }
}

TEST(TarReader, RefusesWrongNumbers) {
  const auto with_size = [](const std::string& field) {
    return raw_entry(header("f"), "", [&](TarBlock& block) { std::copy_n(field.begin(), 12, block.begin() + 124); }) +
           kEndMark;
  };
  EXPECT_EQ(error_of(with_size("00000000009 ")).code(), Code::kDataLoss);
  EXPECT_EQ(error_of(with_size("-0000000001 ")).code(), Code::kDataLoss);
  EXPECT_EQ(error_of(with_size(std::string(12, '\xff'))).code(), Code::kDataLoss) << "minus one";
  EXPECT_EQ(error_of(with_size("\x80" + std::string(11, '\xff'))).code(), Code::kDataLoss) << "more than 63 bits";
}

TEST(TarReader, StopsAtItsLimits) {
  const std::string archive = small_archive();
  EXPECT_EQ(error_of(archive, {.name_length = 119}).code(), Code::kTooLarge);
  EXPECT_FALSE(list(archive, {.name_length = 120}).error);
  EXPECT_EQ(error_of(archive, {.entry_size = 599}).code(), Code::kTooLarge);
  EXPECT_FALSE(list(archive, {.entry_size = 600}).error);
  EXPECT_EQ(error_of(archive, {.entries = 1}).code(), Code::kTooLarge);
  EXPECT_FALSE(list(archive, {.entries = 2}).error);
  EXPECT_EQ(error_of(archive, {.total_size = archive.size() - 1}).code(), Code::kTooLarge);
  EXPECT_FALSE(list(archive, {.total_size = archive.size()}).error);
}

TEST(TarReader, RefusesAHugeDeclaredSizeAtOnce) {
  const Error error = error_of(raw_entry(header("bomb", kTarFile, "", 10L << 30U), "", [](TarBlock& block) {
    std::fill_n(block.begin() + 124, 12, '\0');
    block.at(124) = '\x80';
    block.at(131) = 2;  // 8 GiB
  }));
  EXPECT_EQ(error.code(), Code::kTooLarge);
  EXPECT_EQ(error.message(), "tar offset 0: \"bomb\": 8589934592 bytes, more than the limit of 1073741824");
}

TEST(TarReader, RefusesAHugeExtendedHeader) {
  for (const char type : {kTarPax, kTarPaxGlobal, kTarGnuLongName, kTarGnuLongLink}) {
    EXPECT_EQ(error_of(raw_entry(header("x", type, "", (1L << 20U) + 1))).code(), Code::kTooLarge);
  }
}

TEST(TarReader, PassesOnTheErrorOfItsSource) {
  const std::string archive = small_archive();
  StepReader source(archive, 100, 700);
  TarReader reader(source);
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.next().error(), Error(Code::kUnavailable, "connection cut"));
}

}  // namespace
}  // namespace landfall::io
