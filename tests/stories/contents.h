#pragma once

#include <map>
#include <string>
#include <vector>

#include "archive/spooled_archive.h"
#include "json/json.h"
#include "k8s/object_ref.h"

// What is in an archive, in a form in which archives of two clusters can be compared.
namespace landfall::stories {

// One object. Parts of names that a controller has made up are stars: "web-*-*".
struct Item {
  k8s::ObjectRef ref;
  json::Json object;  // without what differs by nature; see contents.cc
};

// In the order of the archive.
std::vector<Item> contents_of(const archive::SpooledArchive& archive);

// "pods bookshop/web-*-*", in order, as often as there are such.
std::vector<std::string> names_of(const std::vector<Item>& items);

// One line for each difference, in order:
//   "events bookshop/db-0.*: missing"                       in theirs only
//   "pods bookshop/web-*-*: additional"                     in ours only
//   "pods bookshop/web-*-*: spec.volumes[2]: missing"       and so on
//   "jobs.batch bookshop/migrate: spec.suspend: false became true"
std::vector<std::string> differences(const std::vector<Item>& theirs, const std::vector<Item>& ours);

// Differences that are known and have a reason: patterns for the lines above, with * for anything.
struct KnownDifference {
  std::string pattern;
  std::string reason;
};

// What is wrong with the list: differences that no pattern knows, and patterns that know no difference.
std::vector<std::string> unexplained(const std::vector<std::string>& differences,
                                     const std::vector<KnownDifference>& known);

}  // namespace landfall::stories
