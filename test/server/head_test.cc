#include "server/head.h"

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

using fluxhook::server::parse_head;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t kMaxBody = 1000;

/// A POST to /mutate with Host and these further lines.
std::string post(const std::string& lines) {
  return "POST /mutate HTTP/1.1\r\nHost: fluxhook.default.svc\r\n" + lines + "\r\n";
}

/// The head at the start of the text; it is there.
fluxhook::server::Head read(const std::string& text) {
  auto head = parse_head(text, kMaxBody);
  if (!head) throw std::runtime_error(head.error().message);
  std::optional<fluxhook::server::Head>& whole = *head;
  if (!whole) throw std::runtime_error("more bytes are asked for");
  return *std::move(whole);
}

struct Refused {
  std::string head;
  int status;
};

} // namespace

TEST_CASE("the head of an API server's request is read", "[server]") {
  const std::string text =
      "POST /mutate?timeout=7s HTTP/1.1\r\nHost: fluxhook.default.svc:443\r\nUser-Agent: "
      "kube-apiserver-admission\r\nContent-Length: 12\r\nAccept: application/json, "
      "*/*\r\nContent-Type: application/json\r\nAccept-Encoding: gzip\r\n\r\n";
  const auto head = read(text + "{\"kind\":\"A\"}");
  CHECK(head.method == "POST");
  CHECK(head.size == text.size());
  CHECK(head.text == text);
  CHECK(head.content_length == 12);
  CHECK(head.keep_alive);
  CHECK_FALSE(head.expects_continue);
  CHECK(head.timeout == 7s);
}

TEST_CASE("each beginning of a head asks for more", "[server]") {
  const std::string text = post("Content-Length: 0\r\nExpect: 100-continue\r\n");
  for (std::size_t size = 0; size < text.size(); ++size) {
    CAPTURE(size);
    const auto head = parse_head(text.substr(0, size), kMaxBody);
    REQUIRE(head);
    CHECK_FALSE(*head);
  }
}

TEST_CASE("an expectation is met by the connection, so cpp-httplib does not see it", "[server]") {
  const auto head = read(post("Expect: 100-continue\r\nContent-Length: 5\r\n"));
  CHECK(head.expects_continue);
  CHECK(head.text == post("Content-Length: 5\r\n"));
}

TEST_CASE("an Expect field without an expectation asks for nothing", "[server]") {
  CHECK_FALSE(read(post("Expect:\r\nContent-Length: 5\r\n")).expects_continue);
}

TEST_CASE("a connection lives on unless one side says otherwise", "[server]") {
  CHECK(read("GET /livez HTTP/1.1\r\nHost: a\r\n\r\n").keep_alive);
  CHECK_FALSE(read("GET /livez HTTP/1.0\r\n\r\n").keep_alive);
  for (const char* value : {"close", "Close", "keep-alive, close"}) {
    const std::string text =
        "GET /livez HTTP/1.1\r\nHost: a\r\nConnection: " + std::string(value) + "\r\n\r\n";
    CHECK_FALSE(read(text).keep_alive);
  }
}

TEST_CASE("the caller's timeout is that of the query", "[server]") {
  const auto timeout = [](const std::string& target) {
    return read("GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n").timeout;
  };
  CHECK(timeout("/mutate") == 10s);
  CHECK(timeout("/mutate?timeout=1s") == 1s);
  CHECK(timeout("/mutate?a=b&timeout=30s&c") == 30s);
  CHECK(timeout("/mutate?timeout=1500ms") == 1500ms);
  CHECK(timeout("/mutate?timeout=1m") == 60s);
}

TEST_CASE("what could be read in two ways, or should not be read at all, is refused", "[server]") {
  const auto refused = GENERATE(
      // where a body ends
      Refused{post(""), 411}, Refused{post("Content-Length: 5\r\nContent-Length: 6\r\n"), 400},
      Refused{post("Content-Length: 5\r\nContent-Length: 5\r\n"), 400},
      Refused{post("Content-Length: 5, 5\r\n"), 400}, Refused{post("Content-Length: -1\r\n"), 400},
      Refused{post("Content-Length: +5\r\n"), 400}, Refused{post("Content-Length: 0x5\r\n"), 400},
      Refused{post("Content-Length: 5 5\r\n"), 400}, Refused{post("Content-Length:\r\n"), 400},
      Refused{post("Content-Length: 1001\r\n"), 413},
      Refused{post("Content-Length: 18446744073709551616\r\n"), 413},
      Refused{post("Content-Length: 99999999999999999999999999\r\n"), 413},
      Refused{post("Transfer-Encoding: chunked\r\n"), 411},
      Refused{post("Transfer-Encoding: identity\r\nContent-Length: 5\r\n"), 400},
      Refused{post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"), 400},
      Refused{post("Content-Length: 5\r\ntransfer-encoding: xchunked\r\n"), 400},
      Refused{"GET /livez HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n", 400},
      // where a line ends
      Refused{"POST /mutate HTTP/1.1\n", 400}, Refused{"\r\nPOST /mutate HTTP/1.1\r\n", 400},
      Refused{"POST /mutate HTTP/1.1\r\nHost: a\n", 400}, Refused{"\n", 400},
      Refused{post("A: b\r\n Content-Length: 5\r\n"), 400}, Refused{post("A: b\rContent-Length: 5\r\n"), 400},
      Refused{post("A: b" + std::string(1, '\0') + "\r\n"), 400},
      // what a field is called
      Refused{post("Content-Length : 5\r\n"), 400}, Refused{post(" Content-Length: 5\r\n"), 400},
      Refused{post("Content Length: 5\r\n"), 400}, Refused{post("Content-Length\r\n"), 400},
      Refused{post(": 5\r\n"), 400},
      // the request line
      Refused{"POST  /mutate HTTP/1.1\r\n", 400}, Refused{"POST /mutate\r\n", 400},
      Refused{"POST /mu tate HTTP/1.1\r\n", 400}, Refused{"POST mutate HTTP/1.1\r\n", 400},
      Refused{"POST https://a/mutate HTTP/1.1\r\n", 400}, Refused{"POST /mutate#a HTTP/1.1\r\n", 400},
      Refused{"POST /mut\xc3\xa4te HTTP/1.1\r\n", 400}, Refused{"PO(ST /mutate HTTP/1.1\r\n", 400},
      Refused{"POST /mutate HTTP/1.1 \r\n", 400}, Refused{"POST /mutate HTTP/2.0\r\n", 505},
      Refused{"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505}, Refused{"POST /mutate?timeout=1 HTTP/1.1\r\n", 400},
      Refused{"POST /mutate?timeout=-1s HTTP/1.1\r\n", 400},
      Refused{"POST /mutate?timeout=99999999999999s HTTP/1.1\r\n", 400},
      // what is not served
      Refused{post("Content-Length: 5\r\nHost: b\r\n"), 400},
      Refused{"POST /mutate HTTP/1.1\r\nContent-Length: 5\r\n\r\n", 400},
      Refused{post("Content-Length: 5\r\nContent-Encoding: gzip\r\n"), 415},
      Refused{post("Content-Length: 5\r\nRange: bytes=0-1\r\n"), 400},
      Refused{post("Content-Length: 5\r\nExpect: tea\r\n"), 417},
      // size
      Refused{"POST /" + std::string(9000, 'a'), 414}, Refused{post("A: " + std::string(9000, 'a')), 431},
      Refused{post("A: " + std::string(8000, 'a') + "\r\nB: " + std::string(8000, 'b') +
                   "\r\nC: " + std::string(8000, 'c')),
              431});
  CAPTURE(refused.head);
  const auto head = parse_head(refused.head, kMaxBody);
  REQUIRE_FALSE(head);
  CHECK(head.error().status == refused.status);
  CHECK_FALSE(head.error().message.empty());
}

TEST_CASE("more than a hundred header fields are refused", "[server]") {
  std::string fields = "Content-Length: 0\r\n";
  for (int i = 0; i < 98; ++i) // with Host that makes a hundred
    fields += "A: b\r\n";
  CHECK(parse_head(post(fields), kMaxBody)->has_value());
  const auto head = parse_head(post(fields + "A: b\r\n"), kMaxBody);
  REQUIRE_FALSE(head);
  CHECK(head.error().status == 431);
}
