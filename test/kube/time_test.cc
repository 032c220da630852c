#include "fluxhook/kube/time.h"

#include <catch2/catch_test_macros.hpp>

#include <thread>

namespace fluxhook::kube::test {

using namespace std::chrono;
using namespace std::chrono_literals;

TEST_CASE("a MicroTime has six digits and Z, as k8s.io/apimachinery writes it", "[kube]") {
  CHECK(format_micro_time(system_clock::time_point(sys_days(2006y / 1 / 2)) + 15h + 4min + 5s + 6us) ==
        "2006-01-02T15:04:05.000006Z");
  CHECK(format_micro_time(system_clock::time_point(0s)) == "1970-01-01T00:00:00.000000Z");
}

TEST_CASE("RFC 3339 is read with offset and fraction", "[kube]") {
  // The examples of RFC 3339, section 5.8, against `date -u +%s -d`.
  CHECK(parse_time("1985-04-12T23:20:50.52Z") == system_clock::time_point(482196050520ms));
  CHECK(parse_time("1996-12-19T16:39:57-08:00") == system_clock::time_point(851042397s));
  CHECK(parse_time("1937-01-01T12:00:27.87+00:20") == system_clock::time_point(-1041337172130ms));
  CHECK(parse_time("2026-01-02T03:04:05.000006Z") == system_clock::time_point(1767323045000006us));
}

TEST_CASE("a time that the clock can't hold is the nearest that can be compared with now", "[kube]") {
  for (const char* text : {"9999-12-31T23:59:59Z", "4957-01-11T10:10:45.000046Z", "2262-04-12T00:00:00Z"}) {
    INFO(text);
    const auto time = parse_time(text);
    REQUIRE(time);
    CHECK(*time - system_clock::now() > hours(24) * 365 * 100);
  }
  for (const char* text : {"0001-01-01T00:00:00Z", "0000-01-01T00:00:00+23:59"}) {
    INFO(text);
    const auto time = parse_time(text);
    REQUIRE(time);
    CHECK(system_clock::now() - *time > hours(24) * 365 * 100);
  }
}

TEST_CASE("what is no RFC 3339 time is none", "[kube]") {
  for (const char* text :
       {"", "soon", "2026-01-02", "2026-01-02 03:04:05Z", "2026-01-02T03:04:05", "2026-13-02T03:04:05Z",
        "2026-02-30T03:04:05Z", "2026-01-02T24:04:05Z", "2026-01-02T03:04:05+1:00", "-026-01-02T03:04:05Z"}) {
    INFO(text);
    CHECK(!parse_time(text));
  }
}

TEST_CASE("a stop ends a sleep, before it and within it", "[kube]") {
  std::stop_source stop;
  std::jthread stopper([&] { stop.request_stop(); });
  CHECK(!sleep_for(1h, stop.get_token()));
  CHECK(!sleep_for(1h, stop.get_token()));
  CHECK(sleep_for(1ms, {}));
}

} // namespace fluxhook::kube::test
