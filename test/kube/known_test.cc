#include <catch2/catch_test_macros.hpp>

#include <format>
#include <vector>

#include "kube/known.h"

namespace fluxhook::kube::test {

namespace {

/// What a handler is told, as "added ns/name uid@version".
struct Told {
  std::vector<std::string> changes;
  Known known{[this](Change change, const Item& item) {
    static constexpr const char* kNames[] = {"added", "modified", "deleted"};
    changes.push_back(std::format("{} {}/{} {}@{}{}", kNames[static_cast<std::size_t>(change)],
                                  item.meta.name_space, item.meta.name, item.meta.uid,
                                  item.meta.resource_version, item.json.empty() ? " unseen" : ""));
  }};

  std::vector<std::string> take() { return std::exchange(changes, {}); }
  void list(const std::vector<ObjectMeta>& objects) {
    known.begin_list();
    for (const ObjectMeta& meta : objects)
      known.listed({meta, "{}"});
    known.end_list();
  }
  void event(EventType type, const ObjectMeta& meta) { known.take({type, {meta, "{}"}}); }
};

using Strings = std::vector<std::string>;

} // namespace

TEST_CASE("a list tells what is new, what is another version and what is gone, and nothing else", "[kube]") {
  Told told;
  told.list({{"a", "x", "1", "10"}, {"a", "y", "2", "11"}, {"b", "x", "3", "12"}});
  CHECK(told.take() == Strings{"added a/x 1@10", "added a/y 2@11", "added b/x 3@12"});
  told.list({{"a", "x", "1", "10"}, {"b", "x", "3", "13"}, {"b", "z", "4", "14"}});
  CHECK(told.take() == Strings{"modified b/x 3@13", "added b/z 4@14", "deleted a/y 2@11 unseen"});
}

TEST_CASE("a name that has a new uid is another object", "[kube]") {
  Told told;
  told.list({{"a", "x", "1", "10"}});
  told.list({{"a", "x", "2", "20"}});
  CHECK(told.take() == Strings{"added a/x 1@10", "deleted a/x 1@10 unseen", "added a/x 2@20"});
  told.event(EventType::kModified, {"a", "x", "3", "30"});
  CHECK(told.take() == Strings{"deleted a/x 2@20 unseen", "added a/x 3@30"});
}

TEST_CASE("events change what is known, and an old one again says nothing", "[kube]") {
  Told told;
  told.list({});
  told.event(EventType::kAdded, {"a", "x", "1", "10"});
  told.event(EventType::kAdded, {"a", "x", "1", "10"});
  told.event(EventType::kModified, {"a", "x", "1", "11"});
  told.event(EventType::kBookmark, {"", "", "", "15"});
  told.event(EventType::kDeleted, {"a", "x", "1", "16"});
  told.event(EventType::kDeleted, {"a", "x", "1", "16"});
  CHECK(told.take() == Strings{"added a/x 1@10", "modified a/x 1@11", "deleted a/x 1@16"});
  CHECK(told.known.size() == 0);
}

TEST_CASE("a list that begins again forgets what it had so far, not what was known", "[kube]") {
  Told told;
  told.list({{"a", "x", "1", "10"}, {"a", "y", "2", "11"}});
  told.take();
  told.known.begin_list();
  told.known.listed({{"a", "x", "1", "10"}, "{}"});
  told.known.begin_list();
  told.known.listed({{"a", "y", "2", "11"}, "{}"});
  told.known.end_list();
  CHECK(told.take() == Strings{"deleted a/x 1@10 unseen"});
}

} // namespace fluxhook::kube::test
