#include <algorithm>

#include "cli/explain_text.h"
#include "fluxhook/base/text.h"
#include "fluxhook/flux/names.h"
#include "fluxhook/flux/setting_table.h"

namespace fluxhook::cli {
namespace {

std::string words_text(const std::vector<std::string_view>& words) {
  std::string text;
  for (const auto word : words)
    text += (text.empty() ? "" : ", ") + fluxhook::in_quotes(word);
  return "[" + text + "]";
}

std::string volume_text(const flux::VolumeValue& volume) {
  using enum flux::VolumeValue::Kind;
  std::string text = "volume " + std::string(volume.name) + ": ";
  switch (volume.kind) {
  case kEmptyDir: return text + "emptyDir";
  case kMemory:
    return text + "emptyDir in memory" + (volume.source.empty() ? "" : ", up to " + volume.source);
  case kConfigMap: return text + "ConfigMap " + volume.source;
  case kSecret: return text + "Secret " + volume.source;
  }
  return text;
}

std::string mount_text(const flux::MountValue& mount) {
  return std::string(mount.name) + " at " + std::string(mount.path) + (mount.read_only ? ", read-only" : "");
}

std::string installer_text(const flux::InitContainerValue& container) {
  return "init container " + std::string(flux::kInstaller) + ": image " + container.image +
         (container.copy_security_context ? ", the main container's securityContext" : "");
}

std::string affinity_text(const flux::AffinityValue& term) {
  return "preferably not beside another pod of " + term.jobset_name +
         (term.replicated_jobs.empty() ? "" : " in " + words_text(term.replicated_jobs));
}

template <class... Visitors>
struct Overloaded : Visitors... {
  using Visitors::operator()...;
};

} // namespace

std::string value_text(const flux::Value& value) {
  return std::visit(
      Overloaded{[](const flux::EmptyObject&) -> std::string { return "{}"; },
                 [](const flux::EmptyList&) -> std::string { return "[]"; },
                 [](bool flag) -> std::string { return flag ? "true" : "false"; },
                 [](std::int64_t number) { return std::to_string(number); },
                 [](const std::string& text) { return fluxhook::in_quotes(text); },
                 [](std::string_view text) { return fluxhook::in_quotes(text); },
                 [](const flux::Words& words) { return words_text(words); },
                 [](const flux::VolumeValue& volume) { return volume_text(volume); },
                 [](const flux::MountValue& mount) { return mount_text(mount); },
                 [](const flux::EnvValue& env) {
                   return std::string(env.name) + " from the pod's label " + std::string(env.label);
                 },
                 [](const flux::InitContainerValue& container) { return installer_text(container); },
                 [](const flux::AffinityValue& term) { return affinity_text(term); },
                 [](const flux::LeaderSuccess&) -> std::string { return "index 0 decides"; },
                 [](const flux::FromOld& from) { return "as it was at " + from.pointer; }},
      value);
}

std::string reason(const Explained& explained) {
  const k8s::JobSet& jobset = explained.decision.jobset();
  const flux::Outcome& outcome = explained.decision.outcome;
  const std::string& key = explained.defaults.label;
  const std::string_view value = jobset.label(key);
  const std::string label = "its label " + key + ": " + fluxhook::in_quotes(value);
  if (outcome.denied()) return "it is denied: see the findings";
  if (outcome.selected && jobset.annotation(flux::kInjectedAnnotation).empty()) return label + " selects it";
  if (outcome.selected && outcome.changes.empty()) return "it is already injected, and nothing has to change";
  if (outcome.selected) return "it is already injected, and part of that is put back or changed";
  const bool labelled = jobset.labels && jobset.labels->find(key) != nullptr;
  if (flux::selects(value) && !outcome.findings.empty()) return outcome.findings.front().error.detail;
  return labelled ? label + " does not select it: only \"true\" and \"enabled\" do"
                  : "it has no label " + key;
}

std::string origin_text(const Explained& explained, std::size_t row) {
  const flux::SettingInfo& setting = flux::setting_table()[row];
  const flux::Outcome& outcome = explained.decision.outcome;
  switch (outcome.origins[row]) {
  case flux::Origin::kAnnotation: return "annotation";
  case flux::Origin::kEnv: return "env " + std::string(setting.env);
  case flux::Origin::kInjected: return "annotation injected";
  case flux::Origin::kDefault: break;
  }
  const bool built_in = setting.write(outcome.settings) == setting.write(flux::Settings{});
  return built_in ? "default" : "server";
}

std::vector<std::string> run_line(const Explained& explained) {
  const flux::Outcome& outcome = explained.decision.outcome;
  if (outcome.members.empty()) return {};
  const k8s::Container& lead = *outcome.members.front().container;
  std::vector<std::string> command;
  if (lead.command && !flux::is_wrapped(lead)) command.assign(lead.command->begin(), lead.command->end());
  if (lead.args) command.insert(command.end(), lead.args->begin(), lead.args->end());
  if (outcome.settings.interactive || command.empty()) return {};
  std::vector<std::string> words{"flux", "run"};
  if (const auto own = flux::flux_run_words(outcome.resources, outcome.settings))
    std::ranges::copy(*own, std::back_inserter(words));
  std::ranges::copy(command, std::back_inserter(words));
  return words;
}

} // namespace fluxhook::cli
