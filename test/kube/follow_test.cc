#include "fluxhook/kube/follow.h"

#include <catch2/catch_test_macros.hpp>

#include <deque>
#include <format>

#include "fluxhook/kube/backoff.h"
#include "kube/api_server.h"

namespace fluxhook::kube::test {

namespace {

using Strings = std::vector<std::string>;
using namespace std::chrono_literals;

std::string object(const std::string& name, const std::string& version) {
  return std::format(R"({{"metadata":{{"name":"{}","uid":"u-{}","resourceVersion":"{}"}}}})", name, name,
                     version);
}
std::string event(const std::string& type, const std::string& object) {
  return std::format("{{\"type\":\"{}\",\"object\":{}}}\n", type, object);
}
std::string list(const Strings& objects, const std::string& version) {
  std::string items;
  for (const std::string& one : objects)
    items += (items.empty() ? "" : ",") + one;
  return answer(200,
                std::format(R"({{"items":[{}],"metadata":{{"resourceVersion":"{}"}}}})", items, version));
}
std::string watch(const std::string& events, bool cut = false) {
  return chunked_head() + chunk(events) + (cut ? "" : std::string(kLastChunk));
}

/// Follows a server that gives these answers, one a request, and stops behind the last.
struct Followed {
  explicit Followed(std::deque<std::string> answers) {
    std::stop_source stop;
    const ApiServer server([&](const Call& call, Peer& peer) {
      asked.push_back(call.parameter("watch").empty() ? "list"
                                                      : "watch " + call.parameter("resourceVersion"));
      if (answers.empty()) {
        stop.request_stop();
        return peer.wait_for_end();
      }
      peer.send(answers.front());
      answers.pop_front();
    });
    ClientOptions options;
    options.request_timeout = 20s;
    options.sleep = [&](std::chrono::milliseconds time, const std::stop_token&) {
      slept.push_back(time);
      return true;
    };
    auto client = Client::open(server.config(), options);
    follow(**client, "/list", {}, handler(), stop.get_token());
  }

  FollowHandler handler() {
    return {.change =
                [this](Change change, const Item& item) {
                  static constexpr const char* kNames[] = {"added", "modified", "deleted"};
                  told.push_back(
                      std::format("{} {}", kNames[static_cast<std::size_t>(change)], item.meta.name));
                },
            .synced = [this] { told.emplace_back("synced"); },
            .trouble = [this](const ApiError& error, auto) { trouble.push_back(error.message); }};
  }

  Strings asked, told, trouble;
  std::vector<std::chrono::milliseconds> slept;
};

} // namespace

TEST_CASE("a follower lists, watches from there, and goes on from the last event", "[kube]") {
  const Followed followed({list({object("a", "1")}, "5"), watch(event("ADDED", object("b", "6"))),
                           watch(event("BOOKMARK", object("", "9"))),
                           watch(event("DELETED", object("a", "10")))});
  CHECK(followed.asked == Strings{"list", "watch 5", "watch 6", "watch 9", "watch 10"});
  CHECK(followed.told == Strings{"added a", "synced", "added b", "deleted a"});
  CHECK(followed.slept.empty());
}

TEST_CASE("a version that is too old is listed again, and only the differences are told", "[kube]") {
  const std::string gone = R"({"kind":"Status","code":410,"reason":"Expired","message":"too old"})";
  const Followed followed({list({object("a", "1"), object("b", "2")}, "5"),
                           watch(event("MODIFIED", object("a", "6")) + event("ERROR", gone)),
                           list({object("a", "6"), object("c", "7")}, "8")});
  CHECK(followed.asked == Strings{"list", "watch 5", "list", "watch 8"});
  CHECK(followed.told ==
        Strings{"added a", "added b", "synced", "modified a", "added c", "deleted b", "synced"});
  CHECK(followed.slept.empty());
}

TEST_CASE("410 right behind a list is no reason to list without a pause", "[kube]") {
  const std::string gone = answer(410, R"({"kind":"Status","code":410,"message":"too old"})");
  const Followed followed({list({}, "5"), gone, list({}, "5"), gone, list({}, "5")});
  CHECK(followed.asked == Strings{"list", "watch 5", "list", "watch 5", "list", "watch 5"});
  CHECK(followed.slept.size() == 2);
}

TEST_CASE("a watch that is cut goes on from the last whole event, after a pause", "[kube]") {
  Followed followed(
      {list({}, "5"), answer(500, ""), watch(event("ADDED", object("a", "6")) + R"({"type":)")});
  CHECK(followed.asked == Strings{"list", "watch 5", "watch 5", "watch 6"});
  CHECK(followed.trouble == Strings{"HTTP 500, not from an API server", "the watch ended within an event"});
  for (const auto time : followed.slept) { // the event between them has set the pause back
    CHECK(time >= 800ms);
    CHECK(time <= 1600ms);
  }
}

TEST_CASE("a version that can't be watched three times in a row is given up", "[kube]") {
  const std::string future =
      answer(504, R"({"kind":"Status","code":504,"message":"Too large resource version"})");
  const Followed followed({list({object("a", "1")}, "99"), future, future, future, list({}, "3")});
  CHECK(followed.asked == Strings{"list", "watch 99", "watch 99", "watch 99", "list", "watch 3"});
  CHECK(followed.told == Strings{"added a", "synced", "deleted a", "synced"});
}

TEST_CASE("a list that fails is tried again, and nobody is told that all is gone", "[kube]") {
  const std::string broken = R"({"items":[{"metadata":{"name":"a","uid":"u-a","resourceVersion":"1"}})";
  const Followed followed({list({object("a", "1"), object("b", "1")}, "5"), watch("garbage"),
                           answer(200, broken), answer(403, R"({"kind":"Status","code":403,"message":"no"})"),
                           list({object("b", "1")}, "7")});
  CHECK(followed.asked == Strings{"list", "watch 5", "list", "list", "list", "watch 7"});
  CHECK(followed.told == Strings{"added a", "added b", "synced", "deleted a", "synced"});
  CHECK(followed.slept.size() == 3);
}

TEST_CASE("a pause is twice as long each time, up to 30 s, and by chance up to twice that", "[kube]") {
  Backoff backoff;
  for (const auto base : {800ms, 1600ms, 3200ms, 6400ms, 12800ms, 25600ms, 30000ms, 30000ms}) {
    const auto time = backoff.next();
    CHECK(time >= base);
    CHECK(time <= 2 * base);
  }
  backoff.reset();
  CHECK(backoff.next() <= 1600ms);
}

} // namespace fluxhook::kube::test
