#include <gtest/gtest.h>
#include <sys/mount.h>

#include "plugin_local/test_snapshotter.h"

namespace landfall::plugin_local {
namespace {

// A file system that shares blocks between files, in a file of its own; only where this process may mount one.
class Xfs {
 public:
  Xfs() {
    const auto processes = io::make_system_process_runner(system_clock());
    const std::string image = top_.path() / "image";
    std::ofstream(image).close();
    fs::resize_file(image, std::uintmax_t{400} << 20U);
    fs::create_directory(mounted());
    is_there_ =
        runs(*processes, {"mkfs.xfs", "-q", image}) && runs(*processes, {"mount", "-o", "loop", image, mounted()});
  }
  ~Xfs() {
    if (is_there_) ::umount2(mounted().c_str(), MNT_DETACH);
  }
  Xfs(const Xfs&) = delete;
  Xfs& operator=(const Xfs&) = delete;

  bool is_there() const { return is_there_; }
  fs::path mounted() const { return top_.path() / "mounted"; }

 private:
  static bool runs(io::ProcessRunner& processes, std::vector<std::string> argv) {
    io::ProcessSpec spec;
    spec.argv = std::move(argv);
    spec.env = {{"PATH", "/usr/sbin:/sbin:/usr/bin:/bin"}};
    const auto result = processes.run(spec, {});
    return result && result->succeeded();
  }

  const testkit::TempDir top_;
  bool is_there_ = false;
};

TEST(Reflinks, TakeNoSpaceAndAreNotChangedWithTheVolume) {
  const Xfs xfs;
  if (!xfs.is_there()) GTEST_SKIP() << "no XFS: mkfs.xfs is missing, or loop devices cannot be mounted here";
  TestSnapshotter test(Config{{"volumes", xfs.mounted() / "new"}}, xfs.mounted() / "snapshots");
  const fs::path volume = xfs.mounted() / "volume";
  const std::string large(60'000'000, 'x');
  write_bytes(volume / "large", large);
  const auto plugin = test.open();
  const std::string id = plugin->create_snapshot(volume, "", {}, {}).value();
  const Task snapshot = test.await_end(TaskKind::kSnapshot, id);
  ASSERT_EQ(snapshot.phase, kCompleted) << snapshot.message;
  EXPECT_EQ(snapshot.counts.shared_bytes, 60'000'000);
  EXPECT_EQ(plugin->snapshot_progress(id, {})->plugin_specific.at("reflinkedBytes"), "60000000");
  const auto before = described(volume);
  {
    const io::Descriptor file(::open((volume / "large").c_str(), O_WRONLY | O_CLOEXEC));
    ASSERT_EQ(::pwrite(file.get(), "changed", 7, 1000), 7);
  }
  const Task made = test.made(*plugin, id);
  ASSERT_EQ(made.phase, kCompleted) << made.message;
  EXPECT_EQ(made.counts.shared_bytes, 60'000'000);
  EXPECT_EQ(described(made.volume_id).at("large"), before.at("large"));
}

}  // namespace
}  // namespace landfall::plugin_local
