#include "fluxhook/certs/policy.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>

#include "certs/openssl.h"

namespace fluxhook::certs::test {

using Catch::Matchers::ContainsSubstring;
using std::chrono::days;
using std::chrono::hours;

namespace {

const Time kIssued = std::chrono::sys_days(std::chrono::year(2026) / 1 / 1);
const std::vector<std::string> kNames = service_names("fluxhook", "flux", "cluster.local");

Record fresh(Time at = kIssued) { return renew({}, Step::kAuthority, kNames, at).value(); }

std::size_t certificates(const std::string& pem) {
  return pem.empty() ? 0 : split_certificates(pem).value().size();
}

} // namespace

TEST_CASE("the names are those by which a Service can be called", "[certs]") {
  CHECK(kNames == std::vector<std::string>{"fluxhook.flux.svc", "fluxhook.flux.svc.cluster.local",
                                           "fluxhook.flux", "fluxhook"});
}

TEST_CASE("what is new is left alone, for all of its names", "[certs]") {
  const Record record = fresh();
  CHECK(decide(record, kNames, kIssued).step == Step::kNothing);
  for (const std::string& name : kNames)
    CHECK(verify(record.authorities, record.serving.certificate,
                 "-attime 1767225600 -verify_hostname " + name) == "OK"); // 2026-01-01T00:00:00Z
}

TEST_CASE("nothing at all is a CA and a certificate to be made, and no fault", "[certs]") {
  const Decision decision = decide({}, kNames, kIssued);
  CHECK(decision.step == Step::kAuthority);
  CHECK(!decision.broken);
}

TEST_CASE("a leaf is renewed when two thirds of its year are over, its CA of ten years likewise", "[certs]") {
  const Record record = fresh();
  const auto step = [&](Time at) { return decide(record, kNames, at).step; };
  CHECK(step(kIssued + days(243)) == Step::kNothing); // two thirds of 365 d are 243 d 8 h
  CHECK(step(kIssued + days(244)) == Step::kLeaf);
  CHECK(step(kIssued + days(400)) == Step::kLeaf); // expired in the meantime
  CHECK(step(kIssued + days(2433)) == Step::kLeaf);
  CHECK(step(kIssued + days(2434)) == Step::kAuthority); // two thirds of 3650 d are 2433 d 8 h
}

TEST_CASE("what is not valid yet is renewed: the clock that made it was wrong", "[certs]") {
  const Record record = fresh();
  CHECK(decide(record, kNames, kIssued - hours(1)).step == Step::kNothing);
  CHECK(decide(record, kNames, kIssued - hours(2)).step == Step::kAuthority);
}

TEST_CASE("a new leaf is of the same CA, and good again", "[certs]") {
  const Record old = fresh();
  const Time later = kIssued + days(250);
  const Record renewed = renew(old, Step::kLeaf, kNames, later).value();
  CHECK(renewed.authorities == old.authorities);
  CHECK(renewed.authority_key == old.authority_key);
  CHECK(renewed.serving != old.serving);
  CHECK(decide(renewed, kNames, later).step == Step::kNothing);
}

TEST_CASE("other names make a new leaf", "[certs]") {
  const Decision decision = decide(fresh(), service_names("fluxhook", "flux", "example.org"), kIssued);
  CHECK(decision.step == Step::kLeaf);
  CHECK_THAT(decision.reason, ContainsSubstring("fluxhook.flux.svc.example.org"));
  CHECK(!decision.broken);
  auto backwards = kNames;
  std::ranges::reverse(backwards);
  CHECK(decide(fresh(), backwards, kIssued).step == Step::kNothing);
}

TEST_CASE("a new CA comes before the old one, which stays until its last leaf is over", "[certs]") {
  const Record old = fresh();
  const Time later = kIssued + days(2500);
  const Record renewed = renew(old, Step::kAuthority, kNames, later).value();
  CHECK(split_certificates(renewed.authorities).value().at(1) == old.authorities);
  CHECK(has_signed(renewed.authorities, renewed.serving.certificate));
  const std::string both = trusted(renewed, later);
  const Record last = renew(old, Step::kLeaf, kNames, later).value(); // by a replica at the same time
  for (const Record& record : {renewed, last})
    CHECK(verify(both, record.serving.certificate, "-attime 1983225600") == "OK"); // 2032-11-05T00:00:00Z
  CHECK(certificates(trusted(renewed, later + days(365))) == 2);
  CHECK(certificates(trusted(renewed, later + days(366))) == 1);
  CHECK(decide(renewed, kNames, later).step == Step::kNothing);
}

TEST_CASE("a CA that has expired itself is trusted no more", "[certs]") {
  const Record renewed = renew(fresh(), Step::kAuthority, kNames, kIssued + days(3600)).value();
  CHECK(certificates(trusted(renewed, kIssued + days(3649))) == 2);
  CHECK(certificates(trusted(renewed, kIssued + days(3651))) == 1);
}

TEST_CASE("whatever is broken is told and made again", "[certs]") {
  const Record good = fresh(), other = fresh();
  const auto with = [&](auto change) {
    Record record = good;
    change(record);
    const Decision decision = decide(record, kNames, kIssued);
    CHECK(decision.broken);
    CHECK(!decision.reason.empty());
    CHECK(decide(renew(record, decision.step, kNames, kIssued).value(), kNames, kIssued).step ==
          Step::kNothing);
    return decision.step;
  };
  CHECK(with([&](Record& r) { r.authorities.clear(); }) == Step::kAuthority);
  CHECK(with([&](Record& r) { r.authorities = "noise"; }) == Step::kAuthority);
  CHECK(with([&](Record& r) { r.authorities += r.authorities.substr(0, 99); }) == Step::kAuthority);
  CHECK(with([&](Record& r) { r.authority_key = {}; }) == Step::kAuthority);
  CHECK(with([&](Record& r) { r.authority_key = other.authority_key; }) == Step::kAuthority);
  CHECK(with([&](Record& r) { r = {r.serving.certificate, r.serving.key, r.serving}; }) == Step::kAuthority);
  CHECK(with([&](Record& r) { r.serving.certificate.clear(); }) == Step::kLeaf);
  CHECK(with([&](Record& r) { r.serving.key = other.serving.key; }) == Step::kLeaf);
  CHECK(with([&](Record& r) { r.serving.key = KeyText("noise"); }) == Step::kLeaf);
  CHECK(with([&](Record& r) { r.serving = other.serving; }) == Step::kLeaf);
}

TEST_CASE("a CA whose key is lost stays trusted after the new one", "[certs]") {
  Record lost = fresh();
  lost.authority_key = {};
  const Record renewed = renew(lost, Step::kAuthority, kNames, kIssued).value();
  CHECK(certificates(trusted(renewed, kIssued)) == 2);
  CHECK(has_signed(split_certificates(renewed.authorities).value().at(1), lost.serving.certificate));
}

TEST_CASE("a leaf among the authorities is not trusted", "[certs]") {
  const Record record = fresh();
  CHECK(trusted({record.serving.certificate + record.authorities, {}, {}}, kIssued) == record.authorities);
}

} // namespace fluxhook::certs::test
