#include "kube/addresses.h"

#include <algorithm>

#include <catch2/catch_test_macros.hpp>

using namespace fluxhook::kube;
using namespace std::chrono_literals;

TEST_CASE("a host has its addresses, and an address is its own", "[kube]") {
  const std::stop_token never;
  CHECK(addresses_of("10.96.0.1", 1min, never) == std::vector<std::string>{"10.96.0.1"});
  CHECK(addresses_of("fd00::1", 1min, never) == std::vector<std::string>{"fd00::1"});
  CHECK(std::ranges::contains(addresses_of("localhost", 1min, never), "127.0.0.1"));
}

TEST_CASE("who is told to stop does not wait for a name", "[kube]") {
  std::stop_source stop;
  stop.request_stop();
  const auto addresses = addresses_of("no-such-host.invalid", 1h, stop.get_token());
  CHECK(addresses.empty()); // whether or not DNS has answered by now
}
