#include "store/filesystem_store.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "io/descriptor.h"
#include "io/file.h"
#include "io/log_sink.h"
#include "io/test_support.h"
#include "testkit/temp_dir.h"

// What the conformance suite cannot see: what is on the disk. The promises to callers are judged there.

namespace landfall::store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// One byte, and a look around before it comes.
class CallingSource final : public extension::ObjectSource {
 public:
  explicit CallingSource(std::function<void()> look) : look_(std::move(look)) {}
  Result<std::unique_ptr<io::Reader>> open() const override {
    look_();
    return std::make_unique<io::StringReader>("x");
  }
  std::optional<std::uint64_t> size() const override { return 1; }

 private:
  std::function<void()> look_;
};

class FilesystemStoreTest : public testing::Test {
 protected:
  FilesystemStoreTest() {
    EXPECT_TRUE(make_bucket(directory_.path().string(), "bucket"));
    store_ = open_filesystem(config_, Logger(system_clock(), log_)).value();
  }

  std::filesystem::path path(const std::string& name) const { return bucket_ / name; }
  // A file that is not stored by us.
  void write(const std::string& name, const std::string& bytes) const {
    std::filesystem::create_directories(path(name).parent_path());
    std::ofstream(path(name)) << bytes;
  }
  // A temporary file as a put leaves it when the machine dies.
  void write_leftover(const std::string& name, std::chrono::hours age) const {
    write(name, "half");
    std::filesystem::last_write_time(path(name), std::filesystem::file_time_type::clock::now() - age);
  }

  Status put(const std::string& key, std::string_view bytes, const extension::PutOptions& options = {}) const {
    return store_->put(key, extension::BytesSource(bytes), options, {});
  }
  Error get_error(const std::string& key) const {
    const auto reader = store_->get(key, {});
    return reader ? Error(Code::kInternal, "it is there") : reader.error();
  }
  std::vector<std::string> keys(const std::string& prefix = "") const {
    std::vector<std::string> found;
    const Status listed = store_->list(prefix,
                                       [&](const extension::ObjectInfo& info) -> Status {
                                         found.push_back(info.key);
                                         return {};
                                       },
                                       {});
    EXPECT_TRUE(listed) << listed.error().message();
    return found;
  }
  // Everything below the bucket's directory.
  std::vector<std::string> on_disk() const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(bucket_)) {
      found.push_back(entry.path().lexically_relative(bucket_).string());
    }
    std::ranges::sort(found);
    return found;
  }

  const testkit::TempDir directory_;
  const std::filesystem::path bucket_ = directory_.path() / "bucket";
  const StoreConfig config_{{"path", directory_.path().string()}, {"bucket", "bucket"}};
  const std::shared_ptr<io::MemoryLogSink> log_ = std::make_shared<io::MemoryLogSink>();
  std::unique_ptr<extension::ObjectStore> store_;
};

Error open_error(const StoreConfig& config) {
  const auto opened = open_filesystem(config, Logger());
  return opened ? Error(Code::kInternal, "it opened") : opened.error();
}

TEST_F(FilesystemStoreTest, TakesTheSettingsOfAStorageLocation) {
  StoreConfig config = config_;
  config.insert({{"prefix", "p"}, {"caCert", "c"}, {"credentialsFile", "f"}});
  EXPECT_TRUE(open_filesystem(config, Logger()));
  config["region"] = "here";
  EXPECT_EQ(open_error(config).code(), Code::kInvalid);
  EXPECT_THAT(open_error(config).message(), HasSubstr("unknown setting \"region\""));
  for (const StoreConfig& bad : {StoreConfig{{"bucket", "bucket"}}, StoreConfig{{"path", "relative"}, {"bucket", "b"}},
                                 StoreConfig{{"path", "/tmp"}}, StoreConfig{{"path", "/tmp"}, {"bucket", ".."}},
                                 StoreConfig{{"path", "/tmp"}, {"bucket", "a/b"}}}) {
    EXPECT_EQ(open_error(bad).code(), Code::kInvalid);
  }
}

TEST_F(FilesystemStoreTest, SaysWhichDirectoryToCreate) {
  const StoreConfig config{{"path", directory_.path().string()}, {"bucket", "other"}};
  EXPECT_EQ(open_error(config).code(), Code::kNotFound);
  EXPECT_THAT(open_error(config).message(),
              HasSubstr("create the directory " + (directory_.path() / "other").string()));

  std::filesystem::remove_all(bucket_);
  const Error error = get_error("object");
  EXPECT_EQ(error.code(), Code::kNotFound);
  EXPECT_THAT(error.message(), HasSubstr("no such bucket"));
  EXPECT_EQ(put("object", "x").error().code(), Code::kNotFound) << "a volume that is not mounted is not filled";
  EXPECT_EQ(store_->folders("", {}).error().code(), Code::kNotFound);
}

TEST_F(FilesystemStoreTest, MakesABucketOnlyWhereThePathExists) {
  EXPECT_TRUE(make_bucket(directory_.path().string(), "bucket")) << "again";
  EXPECT_EQ(make_bucket((directory_.path() / "none").string(), "b").error().code(), Code::kNotFound);
  EXPECT_EQ(make_bucket(directory_.path().string(), "a/b").error().code(), Code::kInvalid);
  std::ofstream(directory_.path() / "file") << "x";
  EXPECT_EQ(make_bucket(directory_.path().string(), "file").error().code(), Code::kInvalid);
}

TEST_F(FilesystemStoreTest, ObjectsAreFilesForTheirOwnerOnly) {
  ASSERT_TRUE(put("backups/one/velero-backup.json", "{}"));
  EXPECT_THAT(on_disk(), ElementsAre("backups", "backups/one", "backups/one/velero-backup.json"));
  struct stat info{};
  ASSERT_EQ(::stat(path("backups/one/velero-backup.json").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600U);
  ASSERT_EQ(::stat(path("backups").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0700U);
}

TEST_F(FilesystemStoreTest, RemovalTakesEmptyFoldersAway) {
  ASSERT_TRUE(put("a/b/c/one", "x"));
  ASSERT_TRUE(put("a/two", "x"));
  ASSERT_TRUE(store_->remove(std::vector<std::string>{"a/b/c/one"}, {}));
  EXPECT_THAT(on_disk(), ElementsAre("a", "a/two"));
  ASSERT_TRUE(store_->remove(std::vector<std::string>{"a/two"}, {}));
  EXPECT_THAT(on_disk(), IsEmpty());
  EXPECT_TRUE(std::filesystem::is_directory(bucket_));
}

TEST_F(FilesystemStoreTest, AnObjectAndAFolderCannotHaveOneName) {
  ASSERT_TRUE(put("object", "x"));
  ASSERT_TRUE(put("folder/object", "x"));
  for (const bool if_absent : {false, true}) {
    const Status below = put("object/below/it", "y", {.if_absent = if_absent});
    ASSERT_FALSE(below);
    EXPECT_EQ(below.error().code(), Code::kInvalid);
    EXPECT_THAT(below.error().message(), HasSubstr("\"object\" is in the way"));
    const Status over = put("folder", "y", {.if_absent = if_absent});
    ASSERT_FALSE(over);
    EXPECT_EQ(over.error().code(), Code::kInvalid);
    EXPECT_THAT(over.error().message(), HasSubstr("it is a folder"));
  }
  EXPECT_THAT(on_disk(), ElementsAre("folder", "folder/object", "object"));
}

TEST_F(FilesystemStoreTest, NothingIsBelowAPrefixThatNoKeyHas) {
  ASSERT_TRUE(put("a/object", "x"));
  std::ofstream(directory_.path() / "outside") << "secret";
  for (const std::string prefix : {"/", "../", "a/../a/", "./", "a//", "../outside", "/tmp/"}) {
    EXPECT_THAT(keys(prefix), IsEmpty()) << prefix;
  }
  for (const std::string prefix : {"../", "./", "/", "a/../"}) {
    EXPECT_THAT(store_->folders(prefix, {}).value(), IsEmpty()) << prefix;
  }
  EXPECT_EQ(store_->folders("a", {}).error().code(), Code::kInvalid) << "that is no folder";
}

TEST_F(FilesystemStoreTest, FollowsNoLinks) {
  std::filesystem::create_directories(directory_.path() / "outside");
  std::ofstream(directory_.path() / "outside/secret") << "secret";
  std::filesystem::create_directory_symlink(directory_.path() / "outside", path("folder"));
  std::filesystem::create_symlink(directory_.path() / "outside/secret", path("object"));
  std::filesystem::create_symlink("/nowhere", path("dangling"));

  for (const std::string key : {"folder/secret", "object", "dangling"}) {
    EXPECT_EQ(get_error(key).code(), Code::kNotFound) << key;
    EXPECT_EQ(store_->exists(key, {}), false) << key;
  }
  EXPECT_EQ(put("folder/new", "x").error().code(), Code::kInvalid);
  EXPECT_THAT(keys(), IsEmpty());
  EXPECT_THAT(keys("folder/"), IsEmpty());
  EXPECT_THAT(store_->folders("", {}).value(), IsEmpty());
  ASSERT_TRUE(store_->remove(std::vector<std::string>{"folder/secret", "object", "folder"}, {}));
  EXPECT_THAT(directory_.read("outside/secret"), "secret");
  EXPECT_FALSE(std::filesystem::exists(directory_.path() / "outside/new"));

  ASSERT_TRUE(put("object", "mine")) << "a link is replaced, not written through";
  EXPECT_EQ(directory_.read("outside/secret"), "secret");
  EXPECT_EQ(directory_.read("bucket/object"), "mine");
}

TEST_F(FilesystemStoreTest, OnlyRegularFilesAreObjects) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  std::filesystem::create_directories(path("empty/folder"));
  EXPECT_EQ(get_error("pipe").code(), Code::kNotFound) << "and it does not wait for a writer";
  EXPECT_THAT(keys(), IsEmpty());
  EXPECT_THAT(store_->folders("", {}).value(), IsEmpty()) << "a folder without an object is none";
}

TEST_F(FilesystemStoreTest, TemporaryFilesAreNoObjects) {
  write("backups/dead/.landfall-tmp-0123", "half");
  ASSERT_TRUE(io::is_temporary_name(".landfall-tmp-0123"));
  EXPECT_THAT(keys(), IsEmpty());
  EXPECT_THAT(store_->folders("backups/", {}).value(), IsEmpty());
  EXPECT_EQ(put("a/.landfall-tmp-0123", "x").error().code(), Code::kInvalid);
  EXPECT_EQ(get_error("backups/dead/.landfall-tmp-0123").code(), Code::kInvalid);
}

TEST_F(FilesystemStoreTest, WhatItWritesToIsATemporaryFile) {
  const CallingSource source([&] {
    const auto found = on_disk();
    ASSERT_EQ(found.size(), 2U);
    EXPECT_TRUE(io::is_temporary_name(path(found.back()).filename().string())) << found.back();
  });
  ASSERT_TRUE(store_->put("folder/object", source, {}, {}));
  EXPECT_THAT(on_disk(), ElementsAre("folder", "folder/object"));
}

TEST_F(FilesystemStoreTest, NamesThatAreNoKeysAreLeftOutAndLogged) {
  write("folder/good", "x");
  write("folder/bad\xff", "x");
  write("folder/line\nbreak", "x");
  write("folder/back\\slash/file", "x");
  EXPECT_THAT(keys(), ElementsAre("folder/good"));
  const std::string text = log_->text();
  EXPECT_THAT(text, HasSubstr("left out"));
  EXPECT_THAT(text, HasSubstr("files=3"));
  EXPECT_EQ(log_->entries().size(), 1U) << "one line a folder, however many there are";
}

TEST_F(FilesystemStoreTest, PathsThatAreTooLongForKeysAreLeftOut) {
  const std::string part(200, 'x');
  io::Descriptor folder(::open(bucket_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (int depth = 0; depth < 8; ++depth) {
    ASSERT_EQ(::mkdirat(folder.get(), part.c_str(), 0700), 0);
    folder = io::Descriptor(::openat(folder.get(), part.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    const io::Descriptor file(::openat(folder.get(), "f", O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    ASSERT_TRUE(folder && file);
  }
  EXPECT_EQ(keys().size(), 5U);
  EXPECT_THAT(log_->text(), HasSubstr("too long"));
}

TEST_F(FilesystemStoreTest, AFullDiskLeavesNothing) {
  ASSERT_TRUE(put("object", "before"));
  const std::string bytes(200'000, 'x');
  Status status;
  {
    const io::FileSizeLimit limit(100'000);
    status = put("object", bytes);
    EXPECT_FALSE(put("new/object", bytes));
  }
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message(), HasSubstr("object \"object\": write: File too large"));
  EXPECT_THAT(on_disk(), ElementsAre("object"));
  EXPECT_EQ(directory_.read("bucket/object"), "before");
}

TEST_F(FilesystemStoreTest, ASourceMustGiveWhatItHasAnnounced) {
  class Liar final : public extension::ObjectSource {
   public:
    Result<std::unique_ptr<io::Reader>> open() const override { return std::make_unique<io::StringReader>("short"); }
    std::optional<std::uint64_t> size() const override { return 6; }
  };
  const Status stored = store_->put("object", Liar(), {}, {});
  ASSERT_FALSE(stored);
  EXPECT_EQ(stored.error().code(), Code::kDataLoss);
  EXPECT_THAT(on_disk(), IsEmpty());
}

TEST_F(FilesystemStoreTest, AFileThatIsCutWhileReadIsAnError) {
  ASSERT_TRUE(put("object", std::string(100'000, 'x')));
  const auto reader = store_->get("object", {});
  ASSERT_TRUE(reader);
  std::string buffer(10, ' ');
  ASSERT_TRUE((*reader)->read(buffer));
  std::filesystem::resize_file(path("object"), 50'000);
  const auto rest = io::read_all(**reader, 1'000'000);
  ASSERT_FALSE(rest);
  EXPECT_EQ(rest.error().code(), Code::kDataLoss);
}

TEST_F(FilesystemStoreTest, ListsAHundredThousandEntriesInOrder) {
  // Links to two files: a hundred thousand files take ten times as long, and ext4 allows 65,000 names for one.
  write("big/0", "x");
  write("big/1", "x");
  for (int i = 2; i < 100'000; ++i) {
    const std::string name = "big/" + std::to_string(i);
    ASSERT_EQ(::link(path(i % 2 == 0 ? "big/0" : "big/1").c_str(), path(name).c_str()), 0);
  }
  const auto found = keys();
  EXPECT_EQ(found.size(), 100'000U);
  EXPECT_TRUE(std::ranges::is_sorted(found));
  EXPECT_EQ(keys("big/9999").size(), 11U);
  EXPECT_THAT(store_->folders("", {}).value(), ElementsAre("big/"));
}

TEST_F(FilesystemStoreTest, ASweepRemovesWhatHasDied) {
  ASSERT_TRUE(put("backups/one/object", "x"));
  write_leftover("backups/one/.landfall-tmp-old", std::chrono::hours(25));
  write_leftover("backups/one/.landfall-tmp-new", std::chrono::hours(1));
  write_leftover("backups/two/deep/.landfall-tmp-old", std::chrono::hours(100));
  write_leftover("old-object", std::chrono::hours(1000));
  const auto removed =
      open_filesystem(config_, Logger()).value()->sweep("", system_clock().wall_now() - std::chrono::hours(24), {});
  ASSERT_TRUE(removed) << removed.error().message();
  EXPECT_EQ(*removed, 2U);
  EXPECT_THAT(on_disk(), ElementsAre("backups", "backups/one", "backups/one/.landfall-tmp-new", "backups/one/object",
                                     "old-object"));
}

TEST_F(FilesystemStoreTest, ASweepDoesNotHarmAPutThatTakesDays) {
  const CallingSource source([&] {
    EXPECT_EQ(
        open_filesystem(config_, Logger()).value()->sweep("", system_clock().wall_now() + std::chrono::hours(1), {}),
        0U)
        << "however old it looks";
  });
  const Status stored = store_->put("folder/object", source, {}, {});
  ASSERT_TRUE(stored) << stored.error().message();
  EXPECT_THAT(keys(), ElementsAre("folder/object"));
}

}  // namespace
}  // namespace landfall::store
