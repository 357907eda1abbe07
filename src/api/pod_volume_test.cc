#include "api/pod_volume.h"

#include <gtest/gtest.h>

#include "json/json.h"
#include "json/yaml.h"

namespace landfall::api {
namespace {

json::Json yaml(const char* text) { return json::parse_yaml(text).value(); }

TEST(PodVolume, WhoDoesNotSayWhoCopiesMeansRestic) {
  EXPECT_EQ(uploader_type(yaml("{spec: {uploaderType: kopia}}")), "kopia");
  EXPECT_EQ(uploader_type(yaml("{spec: {uploaderType: ''}}")), "restic");
  EXPECT_EQ(uploader_type(yaml("{}")), "restic");
  EXPECT_EQ(repository_type(yaml("{spec: {repositoryType: kopia}}")), "kopia");
  EXPECT_EQ(repository_type(yaml("{spec: {uploaderType: kopia}}")), "restic");
}

TEST(PodVolume, IsFoundByItsNameAndKubernetesFillsSomeItself) {
  const json::Json pod = yaml(
      "{spec: {volumes: [{name: data, emptyDir: {}}, {name: token, projected: {}}, {name: info, downwardAPI: {}}]}}");
  ASSERT_NE(volume_of(pod, "data"), nullptr);
  EXPECT_EQ(volume_of(pod, "dat"), nullptr);
  EXPECT_EQ(volume_of(yaml("{spec: {volumes: 3}}"), "data"), nullptr);
  EXPECT_TRUE(takes_files_back(pod, "data"));
  EXPECT_FALSE(takes_files_back(pod, "token"));
  EXPECT_FALSE(takes_files_back(pod, "info"));
  EXPECT_FALSE(takes_files_back(pod, "gone"));
}

}  // namespace
}  // namespace landfall::api
