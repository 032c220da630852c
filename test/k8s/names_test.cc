#include "fluxhook/k8s/names.h"

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <string_view>

using namespace fluxhook::k8s;
using namespace std::string_view_literals;

namespace {

// The sentences of k8s.io/apimachinery 0.34, pkg/util/validation, as it printed them for these names.
constexpr std::string_view kNoLabel =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start "
    "and "
    "end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
constexpr std::string_view kNo1035 =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic "
    "character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for "
    "validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
constexpr std::string_view kNoSubdomain =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must "
    "start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
constexpr std::string_view kDots = "must not contain dots";
constexpr std::string_view kOver63 = "must be no more than 63 characters";
constexpr std::string_view kOver253 = "must be no more than 253 characters";

const std::string k63(63, 'a');

std::string repeated(std::string_view text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i)
    all += text;
  return all;
}

std::string both(std::string_view first, std::string_view second) {
  return std::string(first) + ", " + std::string(second);
}

} // namespace

TEST_CASE("names are checked as the API server checks them, in its words", "[k8s]") {
  struct Row {
    std::string name, label, dns1035, subdomain; // what is wrong with it as each of the three
  };
  const Row rows[] = {
      {"a", "", "", ""},
      {"a-b", "", "", ""},
      {"a--b", "", "", ""},
      {k63, "", "", ""},
      {"0", "", std::string(kNo1035), ""},
      {"1abc", "", std::string(kNo1035), ""},
      {"a.b-c.d", std::string(kDots), std::string(kNo1035), ""},
      {k63 + "b", std::string(kOver63), std::string(kOver63), ""},
      {k63 + ".b", both(kOver63, kDots), both(kOver63, kNo1035), ""},
      {repeated("a.", 126) + "b", both(kOver63, kDots), both(kOver63, kNo1035), ""},
      {repeated("a.", 127) + "b", both(kOver63, kDots), both(kOver63, kNo1035), std::string(kOver253)},
      {std::string(64, 'A'), both(kOver63, kNoLabel), both(kOver63, kNo1035), std::string(kNoSubdomain)},
  };
  for (const auto& [name, label, dns1035, subdomain] : rows) {
    CAPTURE(name);
    CHECK(check_dns1123_label(name) == label);
    CHECK(check_dns1035_label(name) == dns1035);
    CHECK(check_dns1123_subdomain(name) == subdomain);
  }
}

TEST_CASE("what no name may hold is refused by every check", "[k8s]") {
  for (std::string_view name : {"", "-", "-a", "a-", "A", "aB", "a_b", ".", "a.", ".a", "a..b", "a.-b", "a b",
                                "a\n", "\xc3\xa9", "a/b", "$(id)", "a'b", "a]b"}) {
    CAPTURE(name);
    CHECK(check_dns1123_label(name) == kNoLabel);
    CHECK(check_dns1035_label(name) == kNo1035);
    CHECK(check_dns1123_subdomain(name) == kNoSubdomain);
  }
  CHECK(check_dns1123_label("a\0b"sv) == kNoLabel);
}

TEST_CASE("an environment variable's name is printable ASCII without =", "[k8s]") {
  for (std::string_view good : {"A", "a_b", "1A", "a.b", "a b", "~!", ".."}) {
    CAPTURE(good);
    CHECK(check_env_name(good).empty());
  }
  CHECK(check_env_name("") == "environment variable name must be non-empty");
  for (std::string_view bad : {"a=b"sv, "="sv, "\xc3\xa9"sv, "a\tb"sv, "a\nb"sv, "a\x7f"sv, "a\0b"sv}) {
    CAPTURE(bad);
    CHECK(check_env_name(bad) ==
          "a valid environment variable name must consist only of printable ASCII characters other than '='");
  }
}

TEST_CASE("a generated name is the base, cut at 58 bytes, and five characters of the request's uid",
          "[k8s]") {
  // Five base-27 digits, lowest first, of the 64-bit FNV-1a hash; another program computed them.
  struct Row {
    std::string_view uid, suffix;
  };
  constexpr Row kRows[] = {
      {"11111111-2222-3333-4444-555555555555", "wppgq"},
      {"705ab4f5-6393-11e8-b7cc-42010a800002", "22z6b"},
      {"", "s6vf8"},
  };
  for (const auto& [uid, suffix] : kRows) {
    CAPTURE(uid);
    CHECK(generated_name("lammps-", uid) == "lammps-" + std::string(suffix));
    CHECK(generated_name(k63, uid) == std::string(58, 'a') + std::string(suffix));
    CHECK(generated_name("", uid) == suffix);
  }
}

TEST_CASE("generated names of different requests differ", "[k8s]") {
  const std::string first = generated_name("a-", "11111111-2222-3333-4444-555555555555");
  for (char c : "0234678"sv)
    CHECK(generated_name("a-", "11111111-2222-3333-4444-55555555555" + std::string(1, c)) != first);
}
