#include <memory>
#include <ostream>
#include <string>

#include <CLI/CLI.hpp>
#include <modp_b64.h>

#include "cli/certs.h"
#include "cli/cluster.h"
#include "cli/config_file.h"
#include "fluxhook/certs/ca_bundle.h"
#include "fluxhook/files/read.h"

namespace fluxhook::cli {

namespace {

constexpr int kTries = 5; ///< when others change the configuration meanwhile

struct BundleFlags {
  std::string ca, name = "fluxhook";
  bool patch = false;
  ClusterFlags cluster;
};

/// The certificates of a file and nothing else that may be in it, a key least of all.
Result<std::string> read_bundle(const std::string& path) {
  const auto text = files::read_small(path);
  if (!text) return std::unexpected(text.error());
  const auto parts = certs::split_certificates(*text);
  if (!parts) return fail(path, parts.error().what);
  std::string bundle;
  for (const std::string& part : *parts)
    bundle += part;
  return bundle;
}

kube::ApiResult<bool> set(kube::Client& client, certs::WebhookKind kind, const BundleFlags& flags,
                          const std::string& bundle) {
  for (int tries = 1;; ++tries) {
    auto read = certs::read_configuration(client, kind, flags.name);
    if (!read) return std::unexpected(read.error());
    if (certs::trusts(*read, bundle)) return false;
    const auto done = certs::set_ca_bundle(client, *read, bundle);
    if (done) return true;
    if (done.error().kind != kube::ErrorKind::kConflict || tries == kTries)
      return std::unexpected(done.error());
  }
}

void patch(const BundleFlags& flags, const std::string& bundle, Context& context) {
  const auto client = open_cluster(flags.cluster, context);
  if (!client) return;
  for (const certs::WebhookKind kind : certs::kBothKinds) {
    const auto changed = set(*client, kind, flags, bundle);
    if (!changed) return report(changed.error(), context);
    context.tell(certs::call_it(kind, flags.name) +
                 (*changed ? ": caBundle written" : ": has this caBundle already"));
  }
}

} // namespace

void add_certs_ca_bundle(CLI::App& certs, Context& context) {
  CLI::App& command =
      *certs.add_subcommand("ca-bundle", "Print a CA as a caBundle, or write it where it belongs");
  auto flags = std::make_shared<BundleFlags>();
  command.add_option("--ca", flags->ca, "Certificates of the CA, PEM")->type_name("FILE");
  command.add_flag("--patch", flags->patch, "Write it into both webhook configurations");
  const CLI::Option* const name =
      command.add_option("--name", flags->name, "Name of both")->type_name("NAME")->capture_default_str();
  add_cluster(command, flags->cluster);
  command.footer("Example:\n"
                 "  fluxhook certs ca-bundle --ca certs/ca.crt --patch");
  command.callback([&command, &context, flags, name] {
    const bool named = name->count() > 0; // by the command line: a configuration file is for serve as well
    if (!apply_config(command, context)) return;
    if (flags->ca.empty()) return context.fail("--ca is needed: a file with the CA's certificate");
    if (!flags->patch && named) return context.fail("--name needs --patch");
    if (!flags->patch && flags->cluster.given())
      return context.fail("--kubeconfig and --context need --patch");
    const auto bundle = read_bundle(flags->ca);
    if (!bundle) return context.report(bundle.error());
    if (flags->patch) return patch(*flags, *bundle, context);
    context.out << modp::b64_encode(*bundle) << '\n';
  });
}

} // namespace fluxhook::cli
