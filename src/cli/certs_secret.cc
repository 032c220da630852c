#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/certs.h"
#include "cli/cluster.h"
#include "cli/config_file.h"
#include "fluxhook/certs/secret.h"
#include "fluxhook/files/read.h"
#include "fluxhook/k8s/names.h"
#include "fluxhook/kube/object.h"
#include "fluxhook/manifest/reader.h"
#include "fluxhook/manifest/writer.h"

namespace fluxhook::cli {

namespace {

struct SecretFlags {
  std::string name, name_space, from;
  std::vector<std::string> hosts;
  Lifetimes lifetimes;
  bool with_authority_key = false, create = false;
  ClusterFlags cluster;
};

/// Why the flags can't be taken together; "" when they can.
std::string fault_of(const SecretFlags& flags) {
  if (flags.name.empty()) return "--name is needed: the Secret's name";
  if (flags.name_space.empty()) return "--namespace is needed: the Secret's namespace";
  if (flags.from.empty() && flags.hosts.empty())
    return "--from is needed, a folder that certs issue has filled, or --dns for a new certificate";
  if (!flags.from.empty() && !flags.hosts.empty()) return "--from and --dns exclude each other";
  const bool issues = flags.lifetimes.days != 0 || flags.lifetimes.ca_days != 0;
  if (issues && flags.hosts.empty()) return "--days and --ca-days need --dns";
  if (flags.cluster.given() && !flags.create) return "--kubeconfig and --context need --create";
  return {};
}

Result<certs::Record> read_folder(const std::string& folder, bool with_authority_key) {
  std::vector<std::string> texts;
  for (const char* name : {"ca.crt", "tls.crt", "tls.key", "ca.key"}) {
    if (std::string_view(name) == "ca.key" && !with_authority_key) break;
    auto text = files::read_small(folder + "/" + name);
    if (!text) return std::unexpected(text.error());
    texts.push_back(std::move(*text));
  }
  certs::Record record{texts.at(0), {}, {texts.at(1), certs::KeyText(texts.at(2))}};
  if (const auto checked = certs::check_pair(record.serving); !checked)
    return fail(folder, "its certificate can't be used: " + checked.error().text());
  if (const auto parts = certs::split_certificates(record.authorities); !parts)
    return fail(folder + "/ca.crt", parts.error().what);
  if (!with_authority_key) return record;
  record.authority_key = certs::KeyText(texts.at(3));
  if (const auto checked = certs::check_pair({record.authorities, record.authority_key}); !checked)
    return fail(folder, "its CA can't be used: " + checked.error().text());
  return record;
}

Result<certs::Record> make_record(const SecretFlags& flags) {
  if (!flags.from.empty()) return read_folder(flags.from, flags.with_authority_key);
  auto issued = issue(flags.hosts, flags.lifetimes);
  if (!issued) return std::unexpected(issued.error());
  return certs::Record{issued->authority.certificate, issued->authority.key, issued->serving};
}

void secret(const SecretFlags& flags, Context& context) {
  if (const std::string fault = fault_of(flags); !fault.empty()) return context.fail(fault);
  const auto record = make_record(flags);
  if (!record) return context.fail(record.error().text());
  const std::string json = certs::new_secret(flags.name, flags.name_space, *record, flags.with_authority_key);
  if (!flags.create) {
    const auto node = manifest::parse_json(json, "Secret");
    if (!node) return context.report(node.error());
    context.out << manifest::to_yaml(*node);
    return;
  }
  const auto client = open_cluster(flags.cluster, context);
  if (!client) return;
  const auto created = client->create(kube::path_of({"", "v1", "secrets"}, flags.name_space), json);
  if (!created) return report(created.error(), context);
  context.tell("Secret " + flags.name_space + "/" + flags.name + " created");
}

} // namespace

void add_certs_secret(CLI::App& certs, Context& context) {
  CLI::App& command = *certs.add_subcommand("secret", "Print or create a Secret of type kubernetes.io/tls");
  auto flags = std::make_shared<SecretFlags>();
  command.add_option("--name", flags->name, "The Secret's name")
      ->type_name("NAME")
      ->check([](const std::string& name) { return k8s::check_dns1123_subdomain(name); }, "", "");
  command.add_option("--namespace", flags->name_space, "Its namespace")
      ->type_name("NAME")
      ->check([](const std::string& name) { return k8s::check_dns1123_label(name); }, "", "");
  command.add_option("--from", flags->from, "Folder that certs issue has filled")->type_name("DIR");
  add_issuing(command, flags->hosts, flags->lifetimes);
  command.add_flag("--with-ca-key", flags->with_authority_key,
                   "Put the CA's key into it too, as serve --tls-self-managed does");
  command.add_flag("--create", flags->create, "Create it in the cluster instead of printing it");
  add_cluster(command, flags->cluster);
  command.footer(
      "What it prints holds a private key. The CA of --dns is forgotten unless --with-ca-key keeps it.\n"
      "Example:\n"
      "  fluxhook certs secret --name fluxhook-certs --namespace fluxhook-system --from certs |\n"
      "    kubectl apply -f -");
  command.callback([&command, &context, flags] {
    if (apply_config(command, context)) secret(*flags, context);
  });
}

} // namespace fluxhook::cli
