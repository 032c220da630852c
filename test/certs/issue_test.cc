#include "fluxhook/certs/issue.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <format>

#include "certs/openssl.h"

namespace fluxhook::certs::test {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::Matches;

namespace {

Time now() { return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()); }

Pair authority() { return issue_authority("fluxhook CA", valid_from(now(), kAuthorityLife)).value(); }

Pair leaf_of(const Pair& ca, const std::vector<std::string>& hosts = {"fluxhook.ns.svc"}) {
  return issue_leaf(ca, hosts, valid_from(now(), kLeafLife)).value();
}

} // namespace

TEST_CASE("a leaf is vouched for by its CA, strictly, for each of its names and no other", "[certs]") {
  const Pair ca = authority();
  const Pair leaf = leaf_of(ca, {"fluxhook.ns.svc", "10.0.0.7", "fd00::7", "*.example.org"});
  CHECK(verify(ca.certificate, leaf.certificate) == "OK");
  for (const char* name : {"-verify_hostname fluxhook.ns.svc", "-verify_ip 10.0.0.7", "-verify_ip fd00::7",
                           "-verify_hostname a.example.org"})
    CHECK(verify(ca.certificate, leaf.certificate, name) == "OK");
  CHECK_THAT(verify(ca.certificate, leaf.certificate, "-verify_hostname fluxhook"),
             ContainsSubstring("mismatch"));
  CHECK_THAT(verify(authority().certificate, leaf.certificate), ContainsSubstring("FAILED"));
}

TEST_CASE("a CA can do nothing but sign leaves, and a leaf can sign nothing", "[certs]") {
  const Pair ca = authority(), leaf = leaf_of(ca);
  const std::string root = show(ca.certificate, "-text");
  CHECK_THAT(root,
             ContainsSubstring("X509v3 Basic Constraints: critical\n                CA:TRUE, pathlen:0"));
  CHECK_THAT(root,
             ContainsSubstring("X509v3 Key Usage: critical\n                Certificate Sign, CRL Sign"));
  CHECK_THAT(root, ContainsSubstring("NIST CURVE: P-256") && ContainsSubstring("ecdsa-with-SHA256"));
  const std::string text = show(leaf.certificate, "-text");
  CHECK_THAT(text, ContainsSubstring("X509v3 Basic Constraints: critical\n                CA:FALSE"));
  CHECK_THAT(text, ContainsSubstring("X509v3 Key Usage: critical\n                Digital Signature\n"));
  CHECK_THAT(text,
             ContainsSubstring("TLS Web Server Authentication") && ContainsSubstring("DNS:fluxhook.ns.svc"));
  const Pair below = issue_leaf(leaf, {"a"}, valid_from(now(), kLeafLife)).value();
  CHECK_THAT(verify(ca.certificate + leaf.certificate, below.certificate), ContainsSubstring("FAILED"));
}

TEST_CASE("serial numbers are positive, of 128 bits, and never twice the same", "[certs]") {
  const Pair ca = authority();
  std::vector<std::string> serials;
  for (int i = 0; i < 20; ++i) {
    serials.push_back(show(leaf_of(ca).certificate, "-serial"));
    CHECK_THAT(serials.back(), Matches("serial=[0-9A-F]{1,32}\n")); // a negative one has a '-'
  }
  std::ranges::sort(serials);
  CHECK(std::ranges::adjacent_find(serials) == serials.end());
  CHECK(std::ranges::any_of(serials, [](const auto& serial) { return serial.size() == 7 + 32 + 1; }));
}

TEST_CASE("a certificate is valid from an hour before, for as long as it was asked to be", "[certs]") {
  const Time at = std::chrono::sys_days(std::chrono::year(2026) / 3 / 1);
  const Pair ca = issue_authority("c", valid_from(at, kAuthorityLife)).value();
  CHECK(show(ca.certificate, "-dates -dateopt iso_8601") ==
        "notBefore=2026-02-28 23:00:00Z\nnotAfter=2036-02-27 00:00:00Z\n");
  const Pair leaf = issue_leaf(ca, {"a"}, valid_from(at, kLeafLife)).value();
  CHECK(show(leaf.certificate, "-dates -dateopt iso_8601") ==
        "notBefore=2026-02-28 23:00:00Z\nnotAfter=2027-03-01 00:00:00Z\n");
}

TEST_CASE("a leaf does not outlive its CA, and dates past 2049 are written as RFC 5280 wants them",
          "[certs]") {
  const Time at = std::chrono::sys_days(std::chrono::year(2049) / 12 / 1);
  const Pair ca = issue_authority("c", valid_from(at, std::chrono::days(60))).value();
  const Pair leaf = issue_leaf(ca, {"a"}, valid_from(at, kLeafLife)).value();
  CHECK(show(leaf.certificate, "-enddate -dateopt iso_8601") == "notAfter=2050-01-30 00:00:00Z\n");
}

TEST_CASE("what can stand in no certificate is refused by name", "[certs]") {
  const Pair ca = authority();
  const auto refused = [&](const std::vector<std::string>& hosts) {
    const auto leaf = issue_leaf(ca, hosts, valid_from(now(), kLeafLife));
    return leaf ? "issued" : leaf.error().text();
  };
  CHECK(refused({}) == "a certificate needs a DNS name or an IP address");
  for (const std::string& host : {std::string(""), std::string("a b"), std::string("a,DNS:b"),
                                  std::string("ü"), std::string("a\n"), std::string(254, 'a')})
    CHECK_THAT(refused({"good", host}), ContainsSubstring("is neither a DNS name nor an IP address"));
  CHECK(!issue_authority("", valid_from(now(), kLeafLife)));
  CHECK(!issue_authority(std::string(65, 'a'), valid_from(now(), kLeafLife)));
}

TEST_CASE("a CA whose key is another's, or none, signs nothing", "[certs]") {
  const Pair one = authority(), other = authority();
  const auto fault = [](const Pair& ca) {
    return issue_leaf(ca, {"a"}, valid_from(now(), kLeafLife)).error().text();
  };
  CHECK(fault({one.certificate, other.key}) ==
        "the CA can't be used: the key: does not belong to the certificate");
  CHECK(fault({one.certificate, KeyText("x")}) ==
        "the CA can't be used: the key: holds no unencrypted private key in PEM");
  CHECK(fault({"", one.key}) == "the CA can't be used: the certificate: holds no certificate in PEM");
  CHECK(fault({one.certificate.substr(0, 200), one.key}) ==
        "the CA can't be used: the certificate: holds a broken certificate");
}

TEST_CASE("what OpenSSL's command line has made is described", "[certs]") {
  const Temporary folder;
  openssl("req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc -days 30 -subj /CN=x -addext "
          "subjectAltName=DNS:b.example,DNS:a.example,IP:10.0.0.1,IP:fd00::1,email:a@b -keyout " +
          folder.at("k") + " -out " + folder.at("c"));
  const auto read = [&](const char* name) {
    std::ifstream file(folder.at(name));
    return std::string{std::istreambuf_iterator<char>(file), {}};
  };
  const Description described = describe(read("c")).value();
  CHECK(described.hosts == std::vector<std::string>{"10.0.0.1", "a.example", "b.example", "fd00::1"});
  CHECK(described.is_authority); // req -x509 makes CAs
  const auto lasts = described.validity.to - described.validity.from;
  CHECK(lasts >= std::chrono::days(30));
  CHECK(lasts <= std::chrono::days(30) + std::chrono::seconds(1)); // openssl reads the clock twice
  CHECK(check_pair({read("c"), KeyText(read("k"))}));
  const Pair ours = authority();
  CHECK(!check_pair({read("c"), ours.key}));
  CHECK(split_certificates("# words\n" + read("c") + "more\n" + ours.certificate).value() ==
        std::vector<std::string>{read("c"), ours.certificate});
  CHECK(has_signed(read("c"), read("c")));
  CHECK(!has_signed(ours.certificate, read("c")));
}

TEST_CASE("of two CAs with one name, the one that has signed is told by its key", "[certs]") {
  const Pair one = authority(), two = authority();
  const Pair leaf = leaf_of(two);
  CHECK(has_signed(two.certificate, leaf.certificate));
  CHECK(!has_signed(one.certificate, leaf.certificate));
  CHECK(verify(one.certificate + two.certificate, leaf.certificate) == "OK");
}

} // namespace fluxhook::certs::test
