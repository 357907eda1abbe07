// Any items, written and read again: the same items, in the same order, before and after a rewrite.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>

#include "archive/archive_rewrite.h"
#include "archive/archive_writer.h"
#include "archive/test_archives.h"

namespace landfall::archive {
namespace {

struct Item {
  ItemKey key;
  std::string json;
};

// Few different ones, so that items meet; long ones, so that tar's limits are met; letters beyond ASCII.
rc::Gen<std::string> word() {
  return rc::gen::oneOf(
      rc::gen::element<std::string>("a", "b", "web-0", "system:node", "grün", "日本", "v1", "x.json", "cluster",
                                    "namespaces", "a b"),
      rc::gen::map(rc::gen::inRange<std::size_t>(60, 250), [](std::size_t size) { return std::string(size, 'n'); }));
}

rc::Gen<Item> item() {
  const auto key = rc::gen::apply(
      [](std::string resource, std::string group, std::string version, bool is_preferred, std::string space,
         std::string name) {
        return ItemKey{.resource = {std::move(group), std::move(resource)},
                       .version = std::move(version),
                       .is_preferred = is_preferred,
                       .namespace_name = std::move(space),
                       .name = std::move(name)};
      },
      rc::gen::element<std::string>("pods", "widgets"), rc::gen::element<std::string>("", "apps", "a.example.com"),
      rc::gen::element<std::string>("v1", "v2", "v1beta1"), rc::gen::arbitrary<bool>(),
      rc::gen::oneOf(rc::gen::just(std::string()), word()), word());
  const auto json = rc::gen::apply(
      [](std::string text, std::size_t times) {
        std::string all;
        for (std::size_t i = 0; i < times; ++i) {
          all += text;
        }
        return all;
      },
      rc::gen::arbitrary<std::string>(), rc::gen::element<std::size_t>(1, 1, 1, 500));
  return rc::gen::build<Item>(rc::gen::set(&Item::key, key), rc::gen::set(&Item::json, json));
}

// What an archive should hold, by path and in order. Writes it.
std::string write(const std::vector<Item>& items, std::map<std::string, std::string>& expected,
                  std::vector<std::string>& order) {
  io::StringWriter sink;
  ArchiveWriter writer(sink, kTestTime);
  for (const Item& item : items) {
    const auto paths = item_paths(item.key).value();
    const bool is_taken = expected.contains(paths.front());
    const Status added = writer.add(item.key, item.json);
    RC_ASSERT(added.has_value() != is_taken);
    RC_ASSERT(added.has_value() || added.error().code() == Code::kAlreadyExists);
    for (const std::string& path : paths) {
      if (added && expected.emplace(path, item.json).second) {
        order.push_back(path);
      }
    }
  }
  RC_ASSERT(writer.close());
  return sink.take();
}

std::map<std::string, std::string> contents(const SpooledArchive& archive) {
  std::map<std::string, std::string> all;
  for (const IndexedItem item : archive.index().items()) {
    const auto found = archive.index().find(item.resource(), item.namespace_name(), item.name());
    RC_ASSERT(found == item);
    ItemPath path = parse_item_path(item.path()).value();
    if (item.content()) {
      all.emplace(path.to_string(), archive.content(item).value());
    }
    for (const ItemVersion& version : item.versions()) {
      path.version = version.version;
      path.is_preferred = version.is_preferred;
      all.emplace(path.to_string(), archive.content(version.content).value());
    }
  }
  return all;
}

RC_GTEST_PROP(ArchiveProperty, WhatIsWrittenIsRead, ()) {
  const auto items = *rc::gen::resize(12, rc::gen::container<std::vector<Item>>(item()));
  std::map<std::string, std::string> expected;
  std::vector<std::string> order;
  const std::string bytes = write(items, expected, order);

  std::vector<std::string> seen;
  io::StringReader reader(bytes);
  const auto archive = SpooledArchive::read(reader, {.directory = "/tmp"}, {},
                                            [&](const ReadProgress& progress) { seen.emplace_back(progress.path); });
  RC_ASSERT(archive.has_value());
  RC_ASSERT(contents(*archive) == expected);
  order.insert(order.begin(), std::string(kVersionFile));
  RC_ASSERT(seen == order);
  RC_ASSERT(archive->facts().strange_count == 0);
}

RC_GTEST_PROP(ArchiveProperty, ARewriteChangesWhatItIsToldToAndNothingElse, ()) {
  const auto items = *rc::gen::resize(8, rc::gen::container<std::vector<Item>>(item()));
  std::map<std::string, std::string> expected;
  std::vector<std::string> order;
  const std::string bytes = write(items, expected, order);

  std::map<std::string, bool> taken;
  std::vector<Replacement> replacements;
  for (const Item& change : *rc::gen::resize(4, rc::gen::container<std::vector<Item>>(item()))) {
    const auto paths = item_paths(change.key).value();
    if (std::ranges::any_of(paths, [&](const std::string& path) { return !taken.emplace(path, true).second; })) {
      continue;
    }
    replacements.push_back({change.key, [json = change.json]() -> Result<std::string> { return json; }});
    for (const std::string& path : paths) {
      expected[path] = change.json;
    }
  }
  io::StringReader reader(bytes);
  io::StringWriter sink;
  RC_ASSERT(rewrite_archive(reader, replacements, {.written_at = kTestTime}, sink, {}, {}).has_value());
  const auto archive = read_archive(sink.str());
  RC_ASSERT(archive.has_value());
  RC_ASSERT(contents(*archive) == expected);
}

}  // namespace
}  // namespace landfall::archive
