#include "cli/doctor_deployment.h"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "cli/doctor_checks.h"

namespace fluxhook::cli {

namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

/// Command and arguments of the container that serves; empty where there is none.
Words words_of_server(const json& deployment) {
  for (const json& container : at(deployment, "/spec/template/spec/containers")) {
    Words words;
    for (const char* list : {"/command", "/args"})
      for (const json& word : at(container, list))
        if (word.is_string()) words.push_back(word.get<std::string>());
    if (std::ranges::contains(words, "serve")) return words;
  }
  return {};
}

/// What a flag was given, the last time: `--flag=value` or `--flag value`.
std::optional<std::string> value_of(const Words& words, const std::string& flag) {
  std::optional<std::string> value;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].starts_with(flag + "=")) value = words[i].substr(flag.size() + 1);
    else if (words[i] == flag && i + 1 < words.size()) value = words[i + 1];
  }
  return value;
}

/// Whether a flag that is read here is a variable of the container, which only the kubelet fills in.
bool has_variables(const Words& words) {
  return value_of(words, "--controller").value_or("").contains("$(") ||
         value_of(words, "--curve-key-secret").value_or("").contains("$(");
}

} // namespace

Deployed read_deployed(kube::Client& client, const std::string& name_space, const std::string& name) {
  Deployed deployed{.object = {}, .account = name, .key_secret = {}};
  const auto text = client.get(kube::path_of({"apps", "v1", "deployments"}, name_space, name));
  if (!text) return deployed;
  deployed.object = json::parse(*text, nullptr, false);
  const std::string account = text_at(deployed.object, "/spec/template/spec/serviceAccountName");
  deployed.account = account.empty() ? "default" : account;
  const Words words = words_of_server(deployed.object);
  deployed.known = !words.empty() && !value_of(words, "--config") && !has_variables(words);
  if (!deployed.known) return deployed;
  const auto self_managed = value_of(words, "--tls-self-managed");
  deployed.self_managed = std::ranges::contains(words, "--tls-self-managed") || self_managed == "true";
  deployed.controller = value_of(words, "--controller") != "off";
  const bool secret = !value_of(words, "--curve-key") && !value_of(words, "--curve-derivation");
  if (deployed.controller && secret)
    deployed.key_secret = value_of(words, "--curve-key-secret").value_or(name + "-curve-key");
  return deployed;
}

} // namespace fluxhook::cli
