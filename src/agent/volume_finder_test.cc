#include "agent/volume_finder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/test_node.h"

namespace landfall::agent {
namespace {

namespace fs = std::filesystem;
using json::Json;
using testing::AllOf;
using testing::HasSubstr;

class VolumeFinderTest : public testing::Test {
 protected:
  static Json pod(const Json& volume) {
    return {{"metadata", {{"name", "db-0"}, {"namespace", "shop"}, {"uid", "pod-uid"}}},
            {"spec", {{"volumes", Json::array({volume})}}}};
  }
  static Json local() {
    const Json on_node = {{"key", "kubernetes.io/hostname"}, {"operator", "In"}, {"values", {"node-1"}}};
    const Json term = {{"matchExpressions", Json::array({on_node})}};
    return {{"local", {{"path", "/mnt/x"}}},
            {"nodeAffinity", {{"required", {{"nodeSelectorTerms", Json::array({term})}}}}}};
  }
  static Json claimed(const std::string& claim = "claim") {
    return {{"name", "data"}, {"persistentVolumeClaim", {{"claimName", claim}}}};
  }
  // A claim bound to a volume of its own.
  void bind(const std::string& claim, const std::string& volume, const Json& source, const char* mode = "Filesystem") {
    create_claim(claim, volume);
    Json spec = {{"capacity", {{"storage", "1Gi"}}}, {"accessModes", {"ReadWriteOnce"}}, {"volumeMode", mode}};
    spec.update(source);
    node_.create(
        {"", "v1", "persistentvolumes"}, "",
        {{"apiVersion", "v1"}, {"kind", "PersistentVolume"}, {"metadata", {{"name", volume}}}, {"spec", spec}});
  }
  void create_claim(const std::string& name, const std::string& volume) {
    Json spec = {{"accessModes", {"ReadWriteOnce"}}, {"resources", {{"requests", {{"storage", "1Gi"}}}}}};
    if (!volume.empty()) spec["volumeName"] = volume;
    node_.create({"", "v1", "persistentvolumeclaims"}, "shop",
                 {{"apiVersion", "v1"},
                  {"kind", "PersistentVolumeClaim"},
                  {"metadata", {{"name", name}, {"namespace", "shop"}}},
                  {"spec", spec}});
  }
  // Below the pod's volumes.
  fs::path make(const fs::path& directory) {
    const fs::path path = fs::path(node_.pods_directory()) / "pod-uid" / "volumes" / directory;
    fs::create_directories(path);
    return path;
  }
  std::string find(const Json& volume) {
    const auto found = VolumeFinder(node_.client(), node_.pods_directory()).find(pod(volume), "data", {});
    return found ? *found : found.error().message();
  }
  Code code(const Json& volume, const std::string& name = "data") {
    return VolumeFinder(node_.client(), node_.pods_directory()).find(pod(volume), name, {}).error().code();
  }

  TestNode node_;
};

TEST_F(VolumeFinderTest, AVolumeOfThePodItselfHasItsOwnName) {
  const std::vector<std::pair<std::string, Json>> cases = {
      {"kubernetes.io~empty-dir/data", {{"name", "data"}, {"emptyDir", Json::object()}}},
      {"kubernetes.io~nfs/data", {{"name", "data"}, {"nfs", {{"server", "s"}, {"path", "/"}}}}},
      {"kubernetes.io~csi/data/mount", {{"name", "data"}, {"csi", {{"driver", "inline"}}}}}};
  for (const auto& [directory, volume] : cases) {
    const fs::path path = make(directory);
    EXPECT_EQ(find(volume), path);
    fs::remove_all(path.parent_path());
    if (directory.ends_with("mount")) fs::remove_all(path.parent_path().parent_path());
  }
}

TEST_F(VolumeFinderTest, AClaimHasTheNameOfItsPersistentVolume) {
  bind("csi", "pv-csi", {{"csi", {{"driver", "d"}, {"volumeHandle", "h"}}}});
  bind("local", "pv-local", local());
  bind("nfs", "pv-nfs", {{"nfs", {{"server", "s"}, {"path", "/"}}}});
  // A volume of the times before CSI, whose plugin has become a driver.
  bind("migrated", "pv-migrated", {{"awsElasticBlockStore", {{"volumeID", "v"}}}});
  const fs::path csi = make("kubernetes.io~csi/pv-csi/mount");
  const fs::path local = make("kubernetes.io~local-volume/pv-local");
  const fs::path nfs = make("kubernetes.io~nfs/pv-nfs");
  const fs::path migrated = make("kubernetes.io~csi/pv-migrated/mount");
  EXPECT_EQ(find(claimed("csi")), csi);
  EXPECT_EQ(find(claimed("local")), local);
  EXPECT_EQ(find(claimed("nfs")), nfs);
  EXPECT_EQ(find(claimed("migrated")), migrated);
}

TEST_F(VolumeFinderTest, AnEphemeralVolumeHasAClaimNamedAfterThePod) {
  bind("db-0-data", "pv-1", {{"csi", {{"driver", "d"}, {"volumeHandle", "h"}}}});
  const fs::path path = make("kubernetes.io~csi/pv-1/mount");
  EXPECT_EQ(find({{"name", "data"}, {"ephemeral", {{"volumeClaimTemplate", Json::object()}}}}), path);
}

TEST_F(VolumeFinderTest, RefusesWhatHoldsNoFilesOfItsOwn) {
  const std::vector<std::pair<std::string, std::string>> cases = {{"hostPath", "belongs to the node"},
                                                                  {"secret", "backed up as an object"},
                                                                  {"configMap", "backed up as an object"},
                                                                  {"projected", "made anew for every pod"},
                                                                  {"downwardAPI", "made anew for every pod"}};
  for (const auto& [type, why] : cases) {
    make("kubernetes.io~x/data");  // not even when there is one
    const Json volume = {{"name", "data"}, {type, Json::object()}};
    EXPECT_EQ(code(volume), Code::kUnsupported) << type;
    EXPECT_THAT(find(volume), AllOf(HasSubstr("volume \"data\" of pod shop/db-0: "), HasSubstr(why)));
  }
}

TEST_F(VolumeFinderTest, RefusesPersistentVolumesOfTheNodeAndBlockDevices) {
  bind("host", "pv-host", {{"hostPath", {{"path", "/"}}}});
  bind("block", "pv-block", {{"csi", {{"driver", "d"}, {"volumeHandle", "h"}}}}, "Block");
  make("kubernetes.io~host-path/pv-host");
  make("kubernetes.io~csi/pv-block/mount");
  EXPECT_EQ(code(claimed("host")), Code::kUnsupported);
  EXPECT_THAT(find(claimed("host")), HasSubstr("persistent volume \"pv-host\": a hostPath belongs to the node"));
  EXPECT_EQ(code(claimed("block")), Code::kUnsupported);
  EXPECT_THAT(find(claimed("block")), HasSubstr("\"pv-block\" is a block device"));
}

TEST_F(VolumeFinderTest, SaysWhatIsMissing) {
  create_claim("unbound", "");
  create_claim("dangling", "pv-gone");
  EXPECT_THAT(find(claimed("unbound")), HasSubstr("claim \"unbound\" is not bound"));
  EXPECT_THAT(find(claimed("none")), HasSubstr("persistent volume claim \"none\""));
  EXPECT_THAT(find(claimed("dangling")), HasSubstr("persistent volume \"pv-gone\""));
  const Json empty_dir = {{"name", "data"}, {"emptyDir", Json::object()}};
  EXPECT_EQ(code(empty_dir), Code::kNotFound);
  EXPECT_THAT(find(empty_dir), HasSubstr("there is no directory \"data\" below " + node_.pods_directory()));
  EXPECT_EQ(code(empty_dir, "other"), Code::kNotFound);
  // A driver has made its notes, but mounted nothing.
  make("kubernetes.io~csi/data");
  EXPECT_EQ(code({{"name", "data"}, {"csi", {{"driver", "d"}}}}), Code::kNotFound);
}

TEST_F(VolumeFinderTest, TwoDirectoriesOfANameAreNotGuessedBetween) {
  make("kubernetes.io~empty-dir/data");
  make("kubernetes.io~nfs/data");
  EXPECT_THAT(find({{"name", "data"}, {"emptyDir", Json::object()}}), HasSubstr("several directories"));
}

TEST_F(VolumeFinderTest, ANameThatLeadsElsewhereIsNoName) {
  make("kubernetes.io~empty-dir/data");
  const VolumeFinder finder(node_.client(), node_.pods_directory());
  for (const std::string name : {"..", ".", "a/b", "../../../etc", ""}) {
    Json evil = pod({{"name", name}, {"emptyDir", Json::object()}});
    EXPECT_EQ(finder.find(evil, name, {}).error().code(), Code::kInvalid) << name;
  }
  Json evil = pod({{"name", "data"}, {"emptyDir", Json::object()}});
  evil["metadata"]["uid"] = "../pod-uid";
  EXPECT_EQ(finder.find(evil, "data", {}).error().code(), Code::kInvalid);
}

// A pod cannot make them there, and the sandbox does.
TEST_F(VolumeFinderTest, FollowsLinksThatTheNodeHasMade) {
  bind("claim", "pv-1", local());
  const fs::path plugin = make("kubernetes.io~local-volume");
  const fs::path backing = node_.directory().path() / "volumes" / "pv-1";
  fs::create_directories(backing);
  fs::create_directory_symlink(backing, plugin / "pv-1");
  EXPECT_EQ(find(claimed()), plugin / "pv-1");
  fs::remove(backing);
  EXPECT_EQ(code(claimed()), Code::kNotFound);
}

}  // namespace
}  // namespace landfall::agent
