#include <catch2/catch_test_macros.hpp>

#include "fluxhook/certs/policy.h"
#include "server/running.h"

namespace fluxhook::server::test {

namespace {

Options given_options() {
  Options options = quiet_options();
  options.ephemeral = false;
  options.given = true;
  return options;
}

certs::Pair new_pair(std::chrono::days ago = std::chrono::days(0)) {
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  return certs::renew({}, certs::Step::kAuthority, {"localhost"}, now - ago)->serving;
}

Answer ready(const Running& running) { return Client(running.at()).ask(get("/readyz")); }

/// What a new connection is shown, PEM.
std::string shown(const Running& running) {
  Client client(running.at());
  return client.certificate();
}

} // namespace

TEST_CASE("a server that waits for its certificate answers probes, and is not ready", "[server]") {
  const Running running(given_options());
  CHECK(ready(running).status == 503);
  CHECK(ready(running).body.contains("not ready: there is no certificate yet"));
  CHECK(Client(running.at()).ask(get("/livez")).status == 200);
  running.server->set_doubt("there is no certificate yet: the cluster is away");
  CHECK(ready(running).body.contains("the cluster is away"));
}

TEST_CASE("a certificate that is given is served from the next connection on", "[server]") {
  const Running running(given_options());
  const certs::Pair first = new_pair(), second = new_pair();
  CHECK(running.server->set_certificate(first));
  running.server->set_doubt("");
  CHECK(ready(running).status == 200);
  CHECK(shown(running) == first.certificate);
  Client open(running.at());
  CHECK(running.server->set_certificate(second));
  CHECK(shown(running) == second.certificate);
  CHECK(open.ask(get("/livez")).status == 200); // with the old one, to its end
}

TEST_CASE("a certificate that can't be used is refused, and the one before is served on", "[server]") {
  const Running running(given_options());
  const certs::Pair good = new_pair();
  CHECK(running.server->set_certificate(good));
  running.server->set_doubt("");
  CHECK(!running.server->set_certificate({good.certificate, new_pair().key}));
  CHECK(!running.server->set_certificate({}));
  CHECK(shown(running) == good.certificate);
  CHECK(ready(running).status == 200);
}

TEST_CASE("who is in doubt, or has an expired certificate, is not ready", "[server]") {
  const Running running(given_options());
  CHECK(running.server->set_certificate(new_pair()));
  running.server->set_doubt("MutatingWebhookConfiguration x does not trust it");
  CHECK(ready(running).body.contains("MutatingWebhookConfiguration x does not trust it"));
  running.server->set_doubt("");
  CHECK(ready(running).status == 200);
  CHECK(running.server->set_certificate(new_pair(std::chrono::days(366))));
  CHECK(ready(running).body.contains("the certificate has expired"));
}

} // namespace fluxhook::server::test
