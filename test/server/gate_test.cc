#include "server/gate.h"

#include <bit>
#include <cstdint>

#include <catch2/catch_test_macros.hpp>

#include "server/certificates.h"
#include "server/loop.h"

using fluxhook::server::Clock;
using fluxhook::server::Gate;
using fluxhook::server::Guest;
using fluxhook::server::Metrics;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t kBytes = 10'000; ///< of a review

/// Guests that are only told apart: no one is ever there.
Guest* guest(std::uintptr_t number) { return std::bit_cast<Guest*>(number * alignof(Guest)); }

} // namespace

TEST_CASE("as many reviews as the limit says are decided at once", "[server]") {
  Metrics metrics;
  Gate gate(2, metrics);
  const auto now = Clock::now();
  CHECK(gate.enter(guest(1), kBytes, now, now + 1s) == Gate::Entry::kGo);
  CHECK(gate.enter(guest(2), kBytes, now, now + 1s) == Gate::Entry::kGo);
  CHECK(gate.enter(guest(3), kBytes, now, now + 1s) == Gate::Entry::kWait);
  CHECK(gate.leave(now, 1ms, kBytes) == guest(3));
  CHECK(gate.leave(now, 1ms, kBytes) == nullptr);
  CHECK(gate.leave(now, 1ms, kBytes) == nullptr);
  CHECK(gate.enter(guest(4), kBytes, now, now + 1s) == Gate::Entry::kGo);
}

TEST_CASE("whoever must be answered first is decided first, and in turn among equals", "[server]") {
  Metrics metrics;
  Gate gate(1, metrics);
  const auto now = Clock::now();
  REQUIRE(gate.enter(guest(1), kBytes, now, now + 1s) == Gate::Entry::kGo);
  CHECK_FALSE(gate.next_deadline());
  REQUIRE(gate.enter(guest(2), kBytes, now, now + 9s) == Gate::Entry::kWait);
  REQUIRE(gate.enter(guest(3), kBytes, now, now + 2s) == Gate::Entry::kWait);
  REQUIRE(gate.enter(guest(4), kBytes, now, now + 9s) == Gate::Entry::kWait);
  CHECK(gate.next_deadline() == now + 2s);
  CHECK(gate.leave(now, 0ms, kBytes) == guest(3));
  CHECK(gate.leave(now, 0ms, kBytes) == guest(2));
  CHECK(gate.leave(now, 0ms, kBytes) == guest(4));
}

TEST_CASE("a review whose time is up is not decided but handed out to be refused", "[server]") {
  Metrics metrics;
  Gate gate(1, metrics);
  const auto now = Clock::now();
  REQUIRE(gate.enter(guest(1), kBytes, now, now + 1s) == Gate::Entry::kGo);
  REQUIRE(gate.enter(guest(2), kBytes, now, now + 2s) == Gate::Entry::kWait);
  REQUIRE(gate.enter(guest(3), kBytes, now, now + 5s) == Gate::Entry::kWait);
  CHECK(gate.expired(now + 1s).empty());
  CHECK(gate.leave(now + 3s, 3s, kBytes) == guest(3));
  CHECK(gate.expired(now + 3s) == std::vector{guest(2)});
  CHECK(gate.expired(now + 9s).empty());
}

TEST_CASE("a review whose turn can't come in time is refused at once", "[server]") {
  Metrics metrics;
  Gate gate(1, metrics);
  const auto now = Clock::now();
  for (int i = 0; i < 100; ++i) { // a decision takes a second here
    REQUIRE(gate.enter(guest(1), kBytes, now, now + 1s) == Gate::Entry::kGo);
    REQUIRE(gate.leave(now, 1s, kBytes) == nullptr);
  }
  REQUIRE(gate.enter(guest(1), kBytes, now, now + 30s) == Gate::Entry::kGo);
  CHECK(gate.enter(guest(2), kBytes, now, now + 500ms) == Gate::Entry::kShed);
  CHECK(gate.enter(guest(3), kBytes, now, now + 30s) == Gate::Entry::kWait);
  CHECK(gate.enter(guest(4), kBytes, now, now + 1500ms) == Gate::Entry::kShed);
  CHECK(gate.enter(guest(5), kBytes, now, now + 30s) == Gate::Entry::kWait);
  CHECK(metrics.text().contains("fluxhook_reviews_shed_total 2\n"));
}

TEST_CASE("what a review takes goes by its size", "[server]") {
  Metrics metrics;
  Gate gate(1, metrics);
  const auto now = Clock::now();
  CHECK(gate.expected(100) > 1ms); // nothing is known yet
  for (int i = 0; i < 20; ++i) {   // large ones alone, a nanosecond a byte
    REQUIRE(gate.enter(guest(1), 10'000'000, now, now + 1s) == Gate::Entry::kGo);
    REQUIRE(gate.leave(now, 10ms, 10'000'000) == nullptr);
  }
  CHECK(gate.expected(10'000'000) > 9ms);
  CHECK(gate.expected(10'000) < 11us);
  REQUIRE(gate.enter(guest(1), 10'000'000, now, now + 1s) == Gate::Entry::kGo);
  for (std::uintptr_t i = 2; i < 1002; ++i) // 1,000 small ones take 10 ms together
    REQUIRE(gate.enter(guest(i), 10'000, now, now + 50ms) == Gate::Entry::kWait);
  CHECK(gate.enter(guest(1002), 100'000'000, now, now + 50ms) == Gate::Entry::kShed);
}
