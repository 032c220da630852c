#include "companion/fresh.h"

#include <catch2/catch_test_macros.hpp>

#include "companion/desk.h"

namespace fluxhook::companion::test {

using namespace std::chrono_literals;

namespace {

constexpr Time kNow{24h};

/// A desk with both lists in.
struct Listed : Desk {
  explicit Listed(Counters& counters) : Desk([] { return kNow; }, 1ms, counters) {
    jobsets_listed();
    maps_listed();
  }
};

} // namespace

TEST_CASE("what a watch told is handed out once, the latest, and for 5 s", "[companion]") {
  Fresh fresh;
  fresh.put("a/b", "old", kNow);
  fresh.put("a/b", "new", kNow + 1s);
  CHECK(fresh.take("a/b", kNow + 6s) == "new");
  CHECK(fresh.take("a/b", kNow + 6s).empty());
  fresh.put("a/b", "new", kNow);
  CHECK(fresh.take("a/b", kNow + 5001ms).empty());
  fresh.put("a/b", "new", kNow);
  fresh.drop("a/b");
  CHECK(fresh.take("a/b", kNow).empty());
}

TEST_CASE("of JobSets that wait no more than 4 MiB are kept, also after some were taken or dropped",
          "[companion]") {
  Fresh fresh;
  const std::string half(2U << 20U, 'x');
  for (int i = 0; i < 3; ++i) {
    fresh.put("a/1", half, kNow);
    fresh.put("a/2", half, kNow);
    fresh.put("a/3", "y", kNow);
    CHECK(fresh.take("a/3", kNow).empty());
    CHECK(fresh.take("a/1", kNow) == half);
    fresh.put("a/3", half, kNow);
    CHECK(fresh.take("a/3", kNow) == half);
    fresh.drop("a/2");
  }
}

TEST_CASE("a task has the JobSet as the watch told it last, and no other JobSet of the name", "[companion]") {
  Counters counters;
  Listed desk(counters);
  desk.jobset("a/b", "1", true, "first");
  desk.jobset("a/b", "1", true, "second");
  CHECK(desk.take({}).value().jobset == "second");
  desk.jobset("a/b", "1", true, "while it is made");
  desk.jobset_gone("a/b");
  desk.jobset("a/c", "2", true, "needed");
  desk.jobset("a/c", "2", false, "suspended");
  desk.jobset("a/c", "2", true, "resumed");
  desk.jobset("a/d", "3", true, "gone");
  desk.jobset_gone("a/d");
  desk.jobset("a/d", "4", true, "its successor");
  for (const std::string expected : {"resumed", "its successor"})
    CHECK(desk.take({}).value().jobset == expected);
}

TEST_CASE("a task that is tried again has to read the JobSet", "[companion]") {
  Counters counters;
  Listed desk(counters);
  desk.jobset("a/b", "1", true, "told");
  const auto task = desk.take({});
  REQUIRE(task);
  desk.finish(*task, {.again = 0ms, .fault = Fault::kServer});
  CHECK(desk.take({}).value().jobset.empty());
}

} // namespace fluxhook::companion::test
