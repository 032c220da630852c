#include "fluxhook/flux/curve.h"

#include <catch2/catch_test_macros.hpp>

#include <set>
#include <string>
#include <thread>
#include <vector>

using namespace fluxhook;
using namespace fluxhook::flux;

namespace {

constexpr std::string_view kUid = "11111111-2222-3333-4444-555555555555";

/// 00 01 … 1f
Key counted() {
  Key key{};
  for (std::size_t i = 0; i < key.size(); ++i)
    key[i] = static_cast<std::uint8_t>(i);
  return key;
}

} // namespace

// The derivation of docs/adr/0002-key-derivation.md. test/oracles/certificate_test.py asks Python's hashlib
// and libzmq for more.
TEST_CASE("the key pair of a uid under a master key is what it always was", "[flux]") {
  const CurveKeys keys = derive_curve_keys(counted(), kUid);
  CHECK(keys.public_key == "gVrF?&Q7BUNtmu5KM91F/W#Y]SESpA^WTy{d*y&V");
  CHECK(keys.secret_key == "rc=DFn=PvUQ<aJECO{oRxL?=YLHPACATpyZg=0>K");
}

TEST_CASE("the key pair of a uid alone is Trainer's", "[flux]") {
  const CurveKeys keys = derive_curve_keys_from_uid(kUid);
  CHECK(keys.public_key == ")RF3ktK]n14JJFEeL&Q]V2?T?f7Fzu:xw%DC@ehJ");
  CHECK(keys.secret_key == "w]Ey!S-}N<@&e2A!1<VdmY-hIY%a3a6e.h!*-zqI");
}

TEST_CASE("another uid or another master key gives another pair", "[flux]") {
  Key other = counted();
  other[31] ^= 1;
  const std::set<std::string> secrets{
      derive_curve_keys(counted(), kUid).secret_key,
      derive_curve_keys(other, kUid).secret_key,
      derive_curve_keys(counted(), "11111111-2222-3333-4444-555555555556").secret_key,
      derive_curve_keys(counted(), "").secret_key,
      derive_curve_keys_from_uid(kUid).secret_key,
  };
  CHECK(secrets.size() == 5);
}

TEST_CASE("many threads can derive at the same time", "[flux]") {
  std::vector<CurveKeys> keys(8);
  {
    std::vector<std::jthread> threads;
    threads.reserve(keys.size());
    for (CurveKeys& pair : keys)
      threads.emplace_back([&pair] { pair = derive_curve_keys(counted(), kUid); });
  }
  for (const CurveKeys& pair : keys)
    CHECK(pair.public_key == "gVrF?&Q7BUNtmu5KM91F/W#Y]SESpA^WTy{d*y&V");
}
