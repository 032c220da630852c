#include "companion/ledger.h"

#include <catch2/catch_test_macros.hpp>

namespace fluxhook::companion::test {

using namespace std::chrono_literals;

namespace {

constexpr auto kKey = "hpc/js";
constexpr Time kStart{};

/// A ledger that knows of one JobSet, of uid "a".
Ledger with_one() {
  Ledger ledger;
  ledger.jobset(kKey, "a", true, kStart);
  return ledger;
}

Ending made(const std::string& jobset, const std::string& map = "m") {
  return {.again = {}, .map = {map, jobset}, .secret = {.refused = {}, .settled = true}};
}

Ending failed(std::chrono::milliseconds delay, Fault fault = Fault::kServer) {
  return {.again = delay, .fault = fault};
}

/// The uid of the next task, which is left taken; "" when none is due.
std::string taken(Ledger& ledger, Time now = kStart) {
  const auto task = ledger.take(now);
  return task ? task->uid : "";
}

} // namespace

TEST_CASE("a JobSet that needs companions is due at once, once", "[companion]") {
  Ledger ledger = with_one();
  ledger.jobset(kKey, "a", true, kStart + 1s); // its status changed
  const auto task = ledger.take(kStart + 1s);
  REQUIRE(task);
  CHECK(task->name_space == "hpc");
  CHECK(task->name == "js");
  CHECK(task->uid == "a");
  CHECK_FALSE(ledger.take(kStart + 1h));
  CHECK(ledger.finish(*task, made("a"), kStart + 3s) == 3s); // from when it was first seen
  ledger.jobset(kKey, "a", true, kStart + 4s);
  CHECK_FALSE(ledger.take(kStart + 1h));
  CHECK(ledger.waiting() == 0);
}

TEST_CASE("JobSets are taken in the order in which they are due", "[companion]") {
  Ledger ledger;
  ledger.jobset("z/1", "first", true, kStart);
  ledger.jobset("a/2", "second", true, kStart + 1s);
  CHECK(ledger.next_due() == kStart);
  CHECK(taken(ledger, kStart + 2s) == "first");
  CHECK(taken(ledger, kStart + 2s) == "second");
  CHECK_FALSE(ledger.next_due());
}

TEST_CASE("a JobSet whose ConfigMap is there needs nothing, whichever is seen first", "[companion]") {
  Ledger ledger;
  ledger.map(kKey, {"m", "a"});
  ledger.jobset(kKey, "a", true, kStart);
  CHECK(taken(ledger) == "");
  ledger = with_one();
  ledger.map(kKey, {"m", "a"});
  CHECK(taken(ledger) == "");
  ledger = Ledger();
  ledger.map(kKey, {"m", "earlier"});
  ledger.jobset(kKey, "a", true, kStart);
  const auto task = ledger.take(kStart);
  REQUIRE(task);
  CHECK(task->map == MapFact{"m", "earlier"});
}

TEST_CASE("a fault is tried again when its time has come, and is remembered", "[companion]") {
  Ledger ledger = with_one();
  auto task = ledger.take(kStart);
  CHECK_FALSE(ledger.finish(*task, failed(5s, Fault::kQuota), kStart));
  CHECK(taken(ledger, kStart + 4s) == "");
  CHECK(ledger.next_due() == kStart + 5s);
  ledger.jobset(kKey, "a", true, kStart + 4s); // a change of it doesn't hurry
  CHECK(taken(ledger, kStart + 4s) == "");
  task = ledger.take(kStart + 5s);
  REQUIRE(task);
  CHECK(task->tries == 1);
  CHECK(task->fault == Fault::kQuota);
  CHECK(ledger.finish(*task, made("a"), kStart + 6s) == 6s);
}

TEST_CASE("a JobSet that was wrong itself is looked at again when it changes", "[companion]") {
  Ledger ledger = with_one();
  const auto task = ledger.take(kStart);
  CHECK_FALSE(ledger.finish(*task, failed(300s, Fault::kUnreadable), kStart));
  CHECK(taken(ledger, kStart + 1s) == "");
  ledger.jobset(kKey, "a", true, kStart + 1s);
  CHECK(taken(ledger, kStart + 1s) == "a");
}

TEST_CASE("a JobSet that goes, or is suspended, is forgotten at any time", "[companion]") {
  Ledger ledger = with_one();
  ledger.jobset_gone(kKey);
  CHECK(taken(ledger) == "");
  ledger = with_one();
  auto task = ledger.take(kStart);
  ledger.jobset(kKey, "a", false, kStart);
  CHECK_FALSE(ledger.finish(*task, failed(1s), kStart));
  CHECK_FALSE(ledger.next_due());
  ledger.jobset(kKey, "a", true, kStart); // resumed
  CHECK(taken(ledger) == "a");
}

TEST_CASE("a JobSet that turned out to be suspended is taken again when it is resumed, whatever is seen when",
          "[companion]") {
  const Ending suspended{.again = {}, .not_needed = true};
  Ledger ledger = with_one();
  auto task = ledger.take(kStart);
  CHECK_FALSE(ledger.finish(*task, suspended, kStart));
  ledger.jobset(kKey, "a", false, kStart);
  ledger.jobset(kKey, "a", true, kStart);
  CHECK(taken(ledger) == "a");
  ledger = with_one();
  task = ledger.take(kStart);
  ledger.jobset(kKey, "a", false, kStart);
  ledger.jobset(kKey, "a", true, kStart);
  CHECK_FALSE(ledger.finish(*task, suspended, kStart));
  CHECK(taken(ledger) == "a");
}

TEST_CASE("a JobSet created again under the name is another one", "[companion]") {
  Ledger ledger = with_one();
  auto task = ledger.take(kStart);
  CHECK(ledger.finish(*task, made("a"), kStart));
  ledger.jobset_gone(kKey);
  ledger.jobset(kKey, "b", true, kStart);
  task = ledger.take(kStart);
  REQUIRE(task);
  CHECK(task->uid == "b");
  CHECK(task->map == MapFact{"m", "a"}); // which stands in the way
  CHECK_FALSE(task->secret.settled);
}

TEST_CASE("a JobSet created again while the first one's task is on its way is not taken for done",
          "[companion]") {
  Ledger ledger = with_one();
  auto task = ledger.take(kStart);
  ledger.jobset_gone(kKey);
  ledger.jobset(kKey, "b", true, kStart);
  CHECK(taken(ledger) == ""); // one task a name at a time
  CHECK_FALSE(ledger.finish(*task, made("a"), kStart));
  CHECK(taken(ledger) == "b");
}

TEST_CASE("a ConfigMap that is deleted while it is needed is made again, and its Secret is not doubted",
          "[companion]") {
  Ledger ledger = with_one();
  auto task = ledger.take(kStart);
  CHECK(ledger.finish(*task, made("a"), kStart));
  ledger.map_gone(kKey, "another", kStart); // what was there before ours: late news
  CHECK(taken(ledger) == "");
  ledger.map_gone(kKey, "m", kStart);
  task = ledger.take(kStart);
  REQUIRE(task);
  CHECK(task->secret.settled);
  ledger.map_gone(kKey, "m2", kStart); // deleted before its maker can say so
  CHECK_FALSE(ledger.finish(*task, made("a", "m2"), kStart));
  CHECK(taken(ledger) == "a");
}

TEST_CASE("a ConfigMap that goes with its JobSet leaves nothing", "[companion]") {
  Ledger ledger = with_one();
  auto task = ledger.take(kStart);
  CHECK(ledger.finish(*task, made("a"), kStart));
  ledger.jobset_gone(kKey);
  ledger.map_gone(kKey, "m", kStart);
  CHECK(ledger.waiting() == 0);
  CHECK_FALSE(ledger.next_due());
}

TEST_CASE("what waits for an earlier JobSet's ConfigMap goes on when it is gone", "[companion]") {
  Ledger ledger;
  ledger.map(kKey, {"m", "earlier"});
  ledger.jobset(kKey, "a", true, kStart);
  auto task = ledger.take(kStart);
  CHECK_FALSE(ledger.finish(*task, failed(300s), kStart));
  ledger.map_gone(kKey, "m", kStart + 1s);
  CHECK(taken(ledger, kStart + 1s) == "a");
}

TEST_CASE("a Secret that is tried on stays due although the ConfigMap is there", "[companion]") {
  Ledger ledger = with_one();
  auto task = ledger.take(kStart);
  Ending ending = made("a");
  ending.again = 8s;
  ending.secret = {.refused = kStart, .settled = false};
  ending.secret_pending = true;
  CHECK(ledger.finish(*task, ending, kStart) == 0s); // pods can start
  ledger.map(kKey, {"m", "a"});
  task = ledger.take(kStart + 8s);
  REQUIRE(task);
  CHECK(task->secret_pending);
  CHECK(task->secret.refused == kStart);
  CHECK_FALSE(ledger.finish(*task, made("a"), kStart + 8s)); // counted before
  CHECK_FALSE(ledger.next_due());
}

} // namespace fluxhook::companion::test
