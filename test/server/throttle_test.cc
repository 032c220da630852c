#include "server/throttle.h"

#include <catch2/catch_test_macros.hpp>

using fluxhook::server::Clock;
using fluxhook::server::Throttle;
using namespace std::chrono_literals;

TEST_CASE("of many events one a second gets through, with the number of those before it", "[server]") {
  Throttle throttle(1s);
  const auto now = Clock::now();
  CHECK(throttle.pass(now) == 1);
  for (int i = 0; i < 1000; ++i)
    CHECK(throttle.pass(now + 999ms) == 0);
  CHECK(throttle.pass(now + 1s) == 1001);
  CHECK(throttle.pass(now + 1999ms) == 0);
  CHECK(throttle.pass(now + 1h) == 2);
}
