#include <chrono>
#include <cstdlib>
#include <string_view>

#include "fluxhook/base/text.h"
#include "fluxhook/files/read.h"
#include "fluxhook/kube/config.h"
#include "fluxhook/manifest/writer.h"
#include "kube/entry_fields.h"
#include "kube/kubeconfig_file.h"
#include "kube/pem.h"
#include "kube/server_url.h"

namespace fluxhook::kube {

namespace {

std::string process_environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool is_namespace(std::string_view name) {
  return !name.empty() && name.size() <= 63 && name.front() != '-' && name.back() != '-' &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == name.npos;
}

void read_cluster(EntryFields& fields, Config& config) {
  config.server = fields.text("server");
  if (!fields.has("server")) fields.fault("server", "is missing: https://HOST:PORT is needed");
  else if (const auto url = parse_server_url(config.server); !url) fields.fault("server", url.error().what);
  if (fields.has("proxy-url")) fields.fault("proxy-url", "proxies are not supported");
  config.tls_server_name = fields.text("tls-server-name");
  config.insecure_skip_tls_verify = fields.flag("insecure-skip-tls-verify");
  config.ca = fields.pem("certificate-authority");
  if (config.ca.text.empty() || !fields.check()) return;
  if (config.insecure_skip_tls_verify)
    fields.fault("insecure-skip-tls-verify",
                 "true makes no sense beside a certificate authority: only one may be there");
  else if (const auto good = check_ca(config.ca); !good) fields.fault(good.error());
}

void refuse_unsupported(EntryFields& fields, const Entry& entry) {
  for (const char* key : {"as", "as-uid", "as-groups", "as-user-extra"})
    if (fields.has(key)) fields.fault(key, "impersonation is not supported");
  if (!fields.has("auth-provider")) return;
  const manifest::Node* const provider = entry.value.find("auth-provider");
  const std::string name(provider == nullptr ? "" : provider->get("name"));
  fields.fault("auth-provider", fluxhook::in_quotes(name) +
                                    " is not supported: use a token, a client certificate or an exec plugin");
}

void read_user(EntryFields& fields, const Entry& entry, Config& config) {
  refuse_unsupported(fields, entry);
  config.token = fields.text("token");
  config.token_file = fields.path("tokenFile");
  config.username = fields.text("username");
  config.password = fields.text("password");
  config.exec = fields.exec();
  config.client_certificate = fields.pem("client-certificate");
  config.client_key = fields.pem("client-key");
  const bool basic = !config.username.empty() || !config.password.empty();
  if (basic && !config.token.empty()) fields.fault("username", "only one of it and token may be there");
  if (!fields.check()) return;
  if (config.client_certificate.text.empty() != config.client_key.text.empty())
    fields.fault(config.client_key.text.empty() ? "client-key" : "client-certificate",
                 "is missing: a client certificate and its key are needed together");
  else if (!config.client_certificate.text.empty()) {
    const auto good =
        check_client_pair(config.client_certificate, config.client_key, std::chrono::system_clock::now());
    if (!good) fields.fault(good.error());
  }
  if (!config.token_file.empty() && config.token.empty())
    if (const auto token = files::read_small(config.token_file); !token)
      fields.fault({fields.source("tokenFile"), token.error().text()});
}

/// The entry that a context names. Error: it names none, or one that isn't there.
Result<const Entry*> referred(EntryFields& context, const char* key, const Entries& entries) {
  const std::string name = context.text(key);
  const auto found = entries.find(name);
  if (found == entries.end())
    context.fault(key, name.empty() ? "is missing: one of " + names_of(entries)
                                    : "there is no " + std::string(key) + " " + fluxhook::in_quotes(name) +
                                          ": there are " + names_of(entries));
  if (const auto good = context.check(); !good) return std::unexpected(good.error());
  return &found->second;
}

/// The plugin may be told something by the cluster (client-go: cluster.extensions, …/exec).
std::string exec_extension(const Entry& cluster) {
  const manifest::Node* const extensions = cluster.value.find("extensions");
  if (extensions == nullptr) return {};
  for (const manifest::Node& item : extensions->items) {
    const manifest::Node* const extension = item.find("extension");
    if (item.get("name") == "client.authentication.k8s.io/exec" && extension != nullptr)
      return manifest::to_json(*extension);
  }
  return {};
}

Result<Config> select(const Kubeconfig& files, const std::string& asked) {
  const std::string name = asked.empty() ? files.current_context : asked;
  if (name.empty() && files.contexts.empty()) return fail(files.source(), "has no context");
  if (name.empty())
    return fail(files.source(),
                "no current-context is set: give --context, one of " + names_of(files.contexts));
  const auto found = files.contexts.find(name);
  if (found == files.contexts.end())
    return fail(files.source(), "there is no context " + fluxhook::in_quotes(name) + ": there are " +
                                    names_of(files.contexts));
  const std::string title = "context " + fluxhook::in_quotes(name);
  EntryFields context(found->second, title);
  Config config{.origin = found->second.file + ": " + title};
  if (context.has("namespace")) config.name_space = context.text("namespace");
  if (!is_namespace(config.name_space))
    context.fault("namespace", fluxhook::in_quotes(config.name_space) + " is no namespace's name");
  const auto cluster = referred(context, "cluster", files.clusters);
  if (!cluster) return std::unexpected(cluster.error());
  const auto user = referred(context, "user", files.users);
  if (!user) return std::unexpected(user.error());
  EntryFields cluster_fields(**cluster, "cluster " + fluxhook::in_quotes(context.text("cluster")));
  read_cluster(cluster_fields, config);
  if (const auto good = cluster_fields.check(); !good) return std::unexpected(good.error());
  EntryFields user_fields(**user, "user " + fluxhook::in_quotes(context.text("user")));
  read_user(user_fields, **user, config);
  if (const auto good = user_fields.check(); !good) return std::unexpected(good.error());
  if (config.exec) config.exec->cluster_config = exec_extension(**cluster);
  return config;
}

/// What a pod is given (client-go rest.InClusterConfig).
Result<Config> in_cluster(const ConfigSource& source, const std::string& host, const std::string& port) {
  Config config{.origin = "in-cluster configuration"};
  config.server = "https://" + (host.contains(':') ? "[" + host + "]" : host) + ":" + port;
  if (const auto url = parse_server_url(config.server); !url)
    return fail("KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT", url.error().what);
  config.ca.source = source.service_account + "/ca.crt";
  auto ca = files::read_small(config.ca.source);
  if (!ca) return std::unexpected(ca.error());
  config.ca.text = std::move(*ca);
  if (auto good = check_ca(config.ca); !good) return std::unexpected(good.error());
  config.token_file = source.service_account + "/token";
  if (const auto token = files::read_small(config.token_file); !token) return std::unexpected(token.error());
  // A pod without the file has the default namespace, as client-go says.
  if (const auto name = files::read_small(source.service_account + "/namespace")) {
    std::string_view text = trim(*name);
    while (text.ends_with('\n'))
      text.remove_suffix(1);
    if (!is_namespace(text))
      return fail(source.service_account + "/namespace",
                  fluxhook::in_quotes(text) + " is no namespace's name");
    config.name_space = text;
  }
  return config;
}

/// The files to look at, in order.
std::vector<std::string> candidates(const ConfigSource& source, const std::string& variable,
                                    const std::string& home) {
  if (!source.kubeconfig.empty()) return {source.kubeconfig};
  std::vector<std::string> paths;
  if (!variable.empty())
    for (const std::string_view path : split(variable, ':'))
      paths.emplace_back(path);
  else if (!home.empty()) paths.push_back(home + "/.kube/config");
  return paths;
}

} // namespace

Result<Config> load_config(const ConfigSource& source) {
  const auto& environment = source.environment ? source.environment : process_environment;
  const auto paths = candidates(source, environment("KUBECONFIG"), environment("HOME"));
  const auto files = read_kubeconfig(paths);
  if (!files) return std::unexpected(files.error());
  if (!source.kubeconfig.empty() && files->files.empty())
    return fail(source.kubeconfig, "no such file: --kubeconfig needs one");
  if (!source.kubeconfig.empty() || !source.context.empty() || !files->empty()) {
    if (files->files.empty()) return fail(joined(paths), "no such file: --context needs a kubeconfig");
    return select(*files, source.context);
  }
  const std::string host = environment("KUBERNETES_SERVICE_HOST"),
                    port = environment("KUBERNETES_SERVICE_PORT");
  if (!host.empty() && !port.empty()) return in_cluster(source, host, port);
  return fail("", "no cluster is configured: there is no kubeconfig" +
                      (paths.empty() ? "" : " (" + joined(paths) + ")") +
                      ", and this is no pod: give --kubeconfig FILE or set KUBECONFIG");
}

} // namespace fluxhook::kube
