#include "fluxhook/certs/observer.h"

#include <modp_b64.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <fstream>
#include <iterator>
#include <tuple>

#include "certs/cluster.h"
#include "certs/openssl.h"

namespace fluxhook::certs::test {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using kube::test::answer;
using kube::test::status;
using std::chrono::days;

namespace {

const std::string kServiceName = "fluxhook.flux.svc";

Pair new_authority() { return issue_authority("CA", valid_from(kBegin, kAuthorityLife)).value(); }

std::string leaf_for(const Pair& ca, const std::string& host = kServiceName) {
  return issue_leaf(ca, {host}, valid_from(kBegin, kLeafLife)).value().certificate;
}

Webhook calling(const std::string& ca_bundle) {
  return {.name = "a", .service = "fluxhook", .service_namespace = "flux", .ca_bundle = ca_bundle};
}

std::string contents_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Both configurations trust this CA.
void make_trust(Cluster& cluster, const std::string& authorities) {
  for (const std::string& path : {kMutating, kValidating}) {
    json object = cluster.get(path);
    object["webhooks"][0]["clientConfig"]["caBundle"] = modp::b64_encode(authorities);
    cluster.put(path, object);
  }
}

/// An observer of the cluster, and what it has told.
struct Watched {
  explicit Watched(const Cluster& cluster, std::string chain)
      : client(kube::Client::open(cluster.config()).value()), served(std::move(chain)),
        observer(*client, options()) {}

  ObserverOptions options() {
    ObserverOptions options;
    options.name_space = "flux";
    options.now = [] { return kBegin; };
    options.served = [this] { return served; };
    options.judge = [this](const Verdict& verdict) { verdicts.push_back(verdict); };
    options.log = [this](const Note& note) {
      lines.push_back(note.message + ": " + note.fields.front().second);
    };
    return options;
  }

  std::unique_ptr<kube::Client> client;
  std::string served;
  std::vector<Verdict> verdicts;
  std::vector<std::string> lines;
  Observer observer;
};

} // namespace

TEST_CASE("a certificate is trusted by the CA that signed it, for the Service's name, while it lasts",
          "[certs]") {
  const Pair ca = new_authority(), other = new_authority();
  const std::string leaf = leaf_for(ca);
  CHECK(distrust(calling(ca.certificate), leaf, kBegin).empty());
  CHECK(distrust(calling(other.certificate + ca.certificate), leaf, kBegin).empty());
  CHECK_THAT(distrust(calling(other.certificate), leaf, kBegin),
             StartsWith("the caBundle does not vouch for the certificate: "));
  CHECK(distrust(calling(ca.certificate), leaf_for(ca, "fluxhook.other.svc"), kBegin) ==
        "the certificate is not for fluxhook.flux.svc");
  CHECK_THAT(distrust(calling(ca.certificate), leaf, kBegin + days(400)), ContainsSubstring("expired"));
  CHECK_THAT(distrust(calling(ca.certificate), leaf, kBegin - days(2)), ContainsSubstring("not yet valid"));
  CHECK(distrust(calling("noise"), leaf, kBegin) == "the caBundle holds no certificate in PEM");
}

// The chain is made, and the same cases are judged, by OpenSSL's command line.
TEST_CASE("an intermediate CA is found in what is served, or is trusted by itself", "[certs]") {
  const Temporary folder;
  const auto path = [&](const std::string& name) { return folder.at(name); };
  const auto make = [&](const std::string& arguments) {
    REQUIRE_FALSE(openssl(arguments).starts_with("FAILED"));
  };
  const std::string key = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc ";
  make("req -x509 " + key + "-subj /CN=root -days 30 -keyout " + path("root.key") + " -out " +
       path("root.crt"));
  for (const auto& [name, issuer, extensions] :
       {std::tuple{"middle", "root", "basicConstraints=critical,CA:TRUE"},
        std::tuple{"leaf", "middle", "subjectAltName=DNS:fluxhook.flux.svc"}}) {
    const std::string request = path(std::string(name) + ".csr");
    make("req -new " + key + "-subj /CN=" + name + " -addext " + extensions + " -keyout " +
         path(std::string(name) + ".key") + " -out " + request);
    make("x509 -req -copy_extensions copy -days 30 -in " + request + " -CA " +
         path(std::string(issuer) + ".crt") + " -CAkey " + path(std::string(issuer) + ".key") + " -out " +
         path(std::string(name) + ".crt"));
  }
  const std::string root = contents_of(path("root.crt")), middle = contents_of(path("middle.crt")),
                    leaf = contents_of(path("leaf.crt"));
  CHECK(distrust(calling(root), leaf + middle, wall_clock()).empty());
  CHECK(openssl("verify -CAfile " + path("root.crt") + " -untrusted " + path("middle.crt") + " " +
                path("leaf.crt")) == path("leaf.crt") + ": OK\n");
  CHECK_THAT(distrust(calling(root), leaf, wall_clock()), ContainsSubstring("unable to get local issuer"));
  CHECK_THAT(openssl("verify -CAfile " + path("root.crt") + " " + path("leaf.crt")),
             ContainsSubstring("unable to get local issuer"));
  CHECK(distrust(calling(middle), leaf, wall_clock()).empty());
  CHECK(openssl("verify -partial_chain -CAfile " + path("middle.crt") + " " + path("leaf.crt")) ==
        path("leaf.crt") + ": OK\n");
}

TEST_CASE("what can't be known from here is no reason to doubt", "[certs]") {
  const Pair ca = new_authority();
  Webhook one = calling("");
  CHECK(distrust(one, leaf_for(ca), kBegin).empty()); // the roots of the API server's machine count
  one.awaits_injection = true;
  CHECK(distrust(one, leaf_for(ca), kBegin) ==
        "the caBundle is still to be filled in, as an annotation asks");
  Webhook url = calling(ca.certificate);
  url.service.clear();
  CHECK(distrust(url, leaf_for(ca, "hook.example.org"), kBegin).empty());
}

TEST_CASE("an observer tells when the trust of callers comes, goes and comes back, and writes nothing",
          "[certs]") {
  Cluster cluster;
  const Pair ca = new_authority(), other = new_authority();
  make_trust(cluster, other.certificate);
  Watched watched(cluster, leaf_for(ca));
  watched.observer.look();
  watched.observer.look();
  REQUIRE(watched.verdicts.size() == 1);
  CHECK(watched.verdicts[0].known);
  CHECK_THAT(
      watched.verdicts[0].doubt,
      StartsWith("MutatingWebhookConfiguration fluxhook, webhook a.flux-framework.org: the caBundle does "
                 "not vouch for the certificate: "));
  make_trust(cluster, ca.certificate);
  watched.observer.look();
  CHECK(watched.verdicts.back() == Verdict{true, ""});
  watched.served = leaf_for(other);
  watched.observer.look();
  CHECK_FALSE(watched.verdicts.back().doubt.empty());
  CHECK(cluster.writes().empty());
}

TEST_CASE("one configuration that vouches is not enough", "[certs]") {
  Cluster cluster;
  const Pair ca = new_authority();
  make_trust(cluster, ca.certificate);
  json validating = cluster.get(kValidating);
  validating["webhooks"][0]["clientConfig"]["caBundle"] = modp::b64_encode(new_authority().certificate);
  cluster.put(kValidating, validating);
  Watched watched(cluster, leaf_for(ca));
  watched.observer.look();
  CHECK_THAT(watched.verdicts.back().doubt, StartsWith("ValidatingWebhookConfiguration fluxhook, webhook "));
}

TEST_CASE("an annotation of cert-manager or OpenShift says that a caBundle is still to come", "[certs]") {
  const std::string annotation =
      GENERATE("cert-manager.io/inject-ca-from", "cert-manager.io/inject-apiserver-ca",
               "service.beta.openshift.io/inject-cabundle");
  Cluster cluster;
  json mutating = cluster.get(kMutating);
  mutating["metadata"]["annotations"][annotation] = "flux/fluxhook";
  cluster.put(kMutating, mutating);
  Watched watched(cluster, leaf_for(new_authority()));
  watched.observer.look();
  CHECK_THAT(watched.verdicts.back().doubt, ContainsSubstring("still to be filled in"));
}

TEST_CASE("configurations that may not be read, are not there or call others leave it unknown", "[certs]") {
  Cluster cluster;
  Watched watched(cluster, leaf_for(new_authority()));
  SECTION("forbidden") {
    cluster.set_fault([](const Call&) { return answer(403, status(403, "Forbidden", "may not get")); });
    watched.observer.look();
    watched.observer.look();
    REQUIRE(watched.lines.size() == 2); // one each, once
    CHECK_THAT(watched.lines[0],
               StartsWith("MutatingWebhookConfiguration fluxhook can't be read: whether it vouches for the "
                          "certificate is not known: ") &&
                   ContainsSubstring("may not get"));
  }
  SECTION("absent") {
    cluster.remove(kMutating);
    cluster.remove(kValidating);
    watched.observer.look();
    CHECK(watched.lines.empty());
  }
  SECTION("another Service") {
    for (const auto& [path, kind] : {std::pair{kMutating, "MutatingWebhookConfiguration"},
                                     std::pair{kValidating, "ValidatingWebhookConfiguration"}})
      cluster.put(path, configuration(kind, "fluxhook", "elsewhere"));
    make_trust(cluster, new_authority().certificate);
    watched.observer.look();
  }
  CHECK(watched.verdicts == std::vector{Verdict{}});
}

TEST_CASE("a configuration that can't be read any more is taken as it was; one that is deleted is forgotten",
          "[certs]") {
  Cluster cluster;
  make_trust(cluster, new_authority().certificate);
  Watched watched(cluster, leaf_for(new_authority()));
  watched.observer.look();
  CHECK_FALSE(watched.verdicts.back().doubt.empty());
  cluster.set_fault([](const Call&) { return answer(403, status(403, "Forbidden", "may not get")); });
  watched.observer.look();
  CHECK(watched.verdicts.size() == 1);
  cluster.set_fault({});
  cluster.remove(kMutating);
  cluster.remove(kValidating);
  watched.observer.look();
  CHECK(watched.verdicts.back() == Verdict{});
}

} // namespace fluxhook::certs::test
