#include "fluxhook/server/address.h"

#include <catch2/catch_test_macros.hpp>

#include "server/listener.h"

using fluxhook::server::Address;
using fluxhook::server::listen_on;
using fluxhook::server::parse_address;

TEST_CASE("an address is read and written", "[server]") {
  CHECK(parse_address(":9443") == Address{"", 9443});
  CHECK(parse_address("127.0.0.1:0") == Address{"127.0.0.1", 0});
  CHECK(parse_address("[::1]:65535") == Address{"::1", 65535});
  CHECK(parse_address("localhost:80") == Address{"localhost", 80});
  CHECK(Address{"127.0.0.1", 9443}.text() == "127.0.0.1:9443");
  CHECK(Address{"::", 9443}.text() == "[::]:9443");
  CHECK(Address{"", 9443}.text() == ":9443");
}

TEST_CASE("what is no address is refused with the text in the message", "[server]") {
  for (const char* text : {"", "9443", "localhost", "localhost:", ":x", ":-1", ":65536", ":9443 ", "::1:9443",
                           "[::1]", "[::1:9443", "a b:9443", "http://localhost:9443", ":0x10"}) {
    CAPTURE(text);
    const auto address = parse_address(text);
    REQUIRE_FALSE(address);
    CHECK(address.error().what.contains('"' + std::string(text) + '"'));
  }
}

TEST_CASE("port 0 picks a free one, and one that is taken is refused by its name", "[server]") {
  const auto first = listen_on({"127.0.0.1", 0});
  REQUIRE(first);
  CHECK(first->address.host == "127.0.0.1");
  REQUIRE(first->address.port != 0);
  const auto second = listen_on(first->address);
  REQUIRE_FALSE(second);
  CHECK(second.error().text().starts_with(first->address.text()));
}
