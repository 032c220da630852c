// Answers what the oracles ask about fluxhook's own code: a request a line, `KIND HEX...`, an answer a line,
// `ok HEX...` or `error HEX`. Empty texts are written as `-`.
#include <cstdint>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "fluxhook/base/shell_words.h"
#include "fluxhook/base/text.h"
#include "fluxhook/flux/curve.h"
#include "fluxhook/flux/hostlist.h"
#include "fluxhook/flux/quote.h"
#include "fluxhook/flux/render.h"

namespace {

using namespace fluxhook;
using namespace fluxhook::flux;
using Texts = std::vector<std::string>;

std::string from_hex(std::string_view hex) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string text;
  for (std::size_t i = 0; hex != "-" && i + 1 < hex.size(); i += 2)
    text += static_cast<char>(digit(hex[i]) * 16 + digit(hex[i + 1]));
  return text;
}

std::string to_hex(std::string_view text) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    hex += {kDigits[byte / 16], kDigits[byte % 16]};
  }
  return hex.empty() ? "-" : hex;
}

Result<Texts> one(Result<std::string> text) {
  if (!text) return std::unexpected(text.error());
  return Texts{*std::move(text)};
}

/// PREFIX COUNT CORES GPUS of each group.
std::vector<NodeGroup> groups(const Texts& words) {
  std::vector<NodeGroup> all;
  for (std::size_t i = 0; i + 3 < words.size(); i += 4)
    all.push_back({.prefix = words[i],
                   .count = std::stoll(words[i + 1]),
                   .cores = std::stoll(words[i + 2]),
                   .gpus = std::stoll(words[i + 3])});
  return all;
}

/// NAME VALUE of each field that differs from an instance of one pod.
Result<Texts> files(const Texts& words) {
  std::map<std::string, std::string> field{
      {"jobset", "js"}, {"namespace", "ns"}, {"subdomain", "js"}, {"domain", "cluster.local"},
      {"job", "node"},  {"env", "POD_IP"},   {"device", "eth0"},  {"policy", "fcfs"},
      {"pmi", "auto"},  {"run", ""},         {"timeout", "5s"},   {"topology", ""},
      {"curve", ""},    {"key", ""}};
  for (std::size_t i = 0; i + 1 < words.size(); i += 2)
    field.at(words[i]) = words[i + 1];

  k8s::ReplicatedJob job;
  job.name = field["job"];
  k8s::Container container;
  container.command = {"/bin/true"};
  container.env = {{field["env"], "", k8s::EnvVar::Source::kFieldRef}};
  RenderInput input{.jobset_name = field["jobset"],
                    .name_space = field["namespace"],
                    .subdomain = field["subdomain"],
                    .cluster_domain = field["domain"],
                    .members = {{.job = &job, .container = &container}},
                    .public_key = field["key"]};
  input.settings.network_device = field["device"];
  input.settings.queue_policy = field["policy"];
  input.settings.pmi = field["pmi"];
  input.settings.run_options = field["run"];
  input.settings.connect_timeout = field["timeout"];
  input.settings.topology = field["topology"];
  input.settings.curve_secret = field["curve"];

  const auto rendered = render_files(input);
  if (!rendered) return std::unexpected(rendered.error());
  Texts all;
  for (const auto& [name, text] : *rendered)
    all.insert(all.end(), {name, text});
  return all;
}

/// NAME UID, and MASTER unless the keys come from the uid alone.
Result<Texts> certificate(const Texts& words) {
  if (words.size() < 3) return one(render_certificate(derive_curve_keys_from_uid(words.at(1)), words.at(0)));
  Key master{};
  for (std::size_t i = 0; i < master.size(); ++i)
    master[i] = static_cast<std::uint8_t>(words[2].at(i));
  return one(render_certificate(derive_curve_keys(master, words[1]), words[0]));
}

Result<Texts> answer(std::string_view kind, const Texts& words) {
  if (kind == "shell") return one(quote_shell(words.at(0)));
  if (kind == "toml") return one(quote_toml(words.at(0)));
  if (kind == "zpl") return one(quote_zpl(words.at(0)));
  if (kind == "words") return split_shell_words(words.at(0));
  if (kind == "hostlists") return hostlists(groups(words));
  if (kind == "r") return one(render_r({.groups = groups(words)}));
  if (kind == "files") return files(words);
  if (kind == "certificate") return certificate(words);
  return fail(std::string(kind), "no such request");
}

} // namespace

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream in(line);
    std::string kind;
    in >> kind;
    Texts words;
    for (std::string hex; in >> hex;)
      words.push_back(from_hex(hex));
    const auto texts = answer(kind, words);
    std::cout << (texts ? "ok" : "error");
    for (const std::string& text : texts ? *texts : Texts{texts.error().text()})
      std::cout << ' ' << to_hex(text);
    std::cout << '\n' << std::flush;
  }
}
