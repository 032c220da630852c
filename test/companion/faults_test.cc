#include <catch2/catch_test_macros.hpp>

#include <format>
#include <utility>

#include "companion/running.h"

namespace fluxhook::companion::test {

namespace {

/// A fault that lasts until it is told to end.
struct Lasting {
  std::atomic<bool> over = false;

  /// It meets requests of this method and a path with this in it.
  Lasting(Cluster& cluster, std::string method, std::string part, std::string answer) {
    cluster.set_fault([this, method, part, answer](const Call& call) -> std::optional<std::string> {
      if (over || call.method != method || !call.path().contains(part)) return {};
      return answer;
    });
  }
};

struct Expected {
  std::string reason; ///< of metrics and the log
  std::string event;  ///< "" for none
};

/// A fault of creating the Secret: it is tried again but not hurriedly, said once, and when it ends both
/// companions come.
void check_fault(const std::string& answer, const Expected& expected) {
  INFO(answer);
  Cluster cluster;
  Lasting fault(cluster, "POST", "/secrets", answer);
  cluster.put(jobset());
  const Running running(cluster);
  CHECK(cluster.wait_until([&] { return cluster.count("POST", "/secrets") >= 4; }));
  CHECK_FALSE(cluster.get(kMapPath));
  CHECK(running.lines("reason=" + expected.reason) == 1);
  if (!expected.event.empty()) {
    CHECK(cluster.wait_until([&] { return !cluster.all("Event").empty(); }));
    CHECK(cluster.all("Event").size() == 1);
    CHECK(cluster.all("Event").at(0)["reason"] == expected.event);
    CHECK_FALSE(cluster.all("Event").at(0)["note"].get<std::string>().contains("http"));
  } else {
    CHECK(cluster.all("Event").empty());
  }
  fault.over = true;
  CHECK(owner(cluster.wait_for(kMapPath)) == kUid);
  CHECK(owner(cluster.wait_for(kSecretPath)) == kUid);
}

} // namespace

TEST_CASE("a refusal is tried again with back-off, said once, and told to whom it concerns", "[companion]") {
  check_fault(refusal(403, "Forbidden",
                      "secrets is forbidden: User 'x' cannot create resource 'secrets' in API group"),
              {"forbidden", ""});
  check_fault(refusal(403, "Forbidden", "secrets is forbidden: exceeded quota: q, requested: secrets=1"),
              {"quota", "QuotaExceeded"});
  check_fault(refusal(400, "BadRequest", "admission webhook 'p' denied the request: no"),
              {"denied", "CompanionDenied"});
  check_fault(refusal(422, "Invalid", "Secret is invalid"), {"invalid", "CompanionInvalid"});
  check_fault(refusal(404, "NotFound", "namespaces 'hpc' not found"), {"terminating", ""});
  check_fault(refusal(429, "TooManyRequests", "slowly", "Retry-After: 3\r\n"), {"throttled", ""});
  check_fault(refusal(500, "InternalError", "etcdserver: request timed out"), {"server-error", ""});
  check_fault(refusal(503, "ServiceUnavailable", "apiserver is shutting down"), {"server-error", ""});
  check_fault("", {"unreachable", ""});
  check_fault(kube::test::answer(502, "<html>Bad Gateway</html>"), {"server-error", ""});
}

TEST_CASE("a namespace that goes gets no Event", "[companion]") {
  check_fault(kube::test::answer(403, R"({"kind":"Status","status":"Failure","reason":"Forbidden","code":403,
                "message":"unable to create new content","details":{"causes":[{"reason":"NamespaceTerminating"}]}})"),
              {"terminating", ""});
}

TEST_CASE("a forged annotation gets an Event, and what is mended by hand gets its companions",
          "[companion]") {
  Cluster cluster;
  cluster.put(with(jobset(), kInjectedPointer, "forged"));
  const Running running(cluster);
  CHECK(cluster.wait_until([&] { return !cluster.all("Event").empty(); }));
  CHECK(cluster.all("Event").at(0)["reason"] == "MalformedInjection");
  CHECK(cluster.creates("js-flux-curve") == 0);
  cluster.put(jobset());
  CHECK(owner(cluster.wait_for(kMapPath)) == kUid);
}

TEST_CASE("a create that was stored although it was answered with an error is not doubted", "[companion]") {
  Cluster cluster;
  bool lost = false;
  cluster.set_loss([&](const Call& call) {
    return call.method == "POST" && call.path().ends_with("/secrets") && !std::exchange(lost, true);
  });
  cluster.put(jobset());
  const Running running(cluster);
  CHECK(owner(cluster.wait_for(kMapPath)) == kUid);
  CHECK(cluster.stored(kSecretPath) == 1);
  CHECK(cluster.all("Event").empty());
}

TEST_CASE("watches that break, versions that are too old and answers that are none are overcome",
          "[companion]") {
  for (const std::string& answer : {std::string(), refusal(410, "Expired", "too old resource version"),
                                    refusal(500, "InternalError", "x"), kube::test::answer(200, "[1]"),
                                    refusal(401, "Unauthorized", "who is this?")}) {
    INFO(answer);
    Cluster cluster;
    std::atomic<int> left = 4;
    cluster.set_fault([&](const Call& call) -> std::optional<std::string> {
      const bool watch = call.parameter("watch") == "true";
      return watch && left-- > 0 ? std::optional(answer) : std::nullopt;
    });
    const Running running(cluster);
    CHECK(cluster.wait_until([&] { return left < 0; }));
    cluster.put(jobset());
    CHECK(owner(cluster.wait_for(kMapPath)) == kUid);
    CHECK(running.figures().watch_faults > 0);
  }
}

TEST_CASE("500 JobSets at once get their companions by eight workers, each once", "[companion]") {
  Cluster cluster;
  Running running(cluster, "one", {.workers = 8});
  CHECK(cluster.wait_until([&] { return running.figures().leader; }));
  for (int i = 0; i < 500; ++i)
    cluster.put(jobset(std::format("js-{}", i), std::format("uid-{}", i)));
  CHECK(cluster.wait_until([&] { return running.figures().config_maps == 500; }));
  for (const Json& map : cluster.all("ConfigMap"))
    CHECK(map["metadata"]["annotations"]["flux-framework.org/jobset-uid"] == owner(map));
  CHECK(cluster.all("Secret").size() == 500);
  CHECK(cluster.count("POST", "/secrets") == 500);
  CHECK(cluster.count("POST", "/configmaps") == 500);
}

} // namespace fluxhook::companion::test
