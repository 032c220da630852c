#include "cli/explain_text.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "cli/terminal.h"
#include "fluxhook/base/shell_words.h"
#include "fluxhook/base/text.h"
#include "fluxhook/flux/hostlist.h"
#include "fluxhook/flux/render.h"
#include "fluxhook/flux/setting_table.h"
#include "fluxhook/manifest/reader.h"

namespace fluxhook::cli {
namespace {

using Json = nlohmann::ordered_json;

/// Who says so, and the rule that guards the place.
std::string source_text(const flux::Reason& why) {
  return std::string(why.source) + (why.rule ? "; " + flux::rule_id(*why.rule) : "");
}

/// Writes the sections of an explanation.
class TextWriter {
public:
  TextWriter(const Explained& explained, bool color)
      : explained_(explained), outcome_(explained.decision.outcome), color_(color) {}

  std::string write() {
    head();
    if (outcome_.selected && !outcome_.denied()) {
      instance();
      settings();
      changes();
    }
    findings();
    return std::move(out_) + '\n';
  }

private:
  void head() {
    const Subject& subject = explained_.subject;
    const std::string kind = subject.name.empty() ? "JobSet " : "JobSet of ";
    const std::string name = kind + display_name(subject, explained_.decision.jobset());
    out_ += printable(manifest::place(explained_.file, subject.object->at)) + ": " +
            colored(printable(name), Color::kBold, color_) + '\n';
    const bool injected = outcome_.selected && !outcome_.denied();
    line("",
         injected ? colored("becomes a Flux cluster", Color::kGreen, color_)
                  : colored("is left as it is", Color::kYellow, color_),
         ": " + reason(explained_));
  }

  void instance() {
    const flux::Resources& resources = outcome_.resources;
    if (resources.groups.empty()) return; // an UPDATE computes nothing
    title("Instance");
    for (const flux::Member& member : outcome_.members)
      row("replicatedJob",
          std::string(member.job->name) + ", container " + std::string(member.container->name) + ", pods " +
              std::to_string(member.job->replicas) + " × " + std::to_string(member.job->pods()));
    row("brokers", std::to_string(resources.nodes) + ", the lead is " + resources.lead());
    if (const auto lists = flux::hostlists(resources.groups))
      for (const std::string& list : *lists)
        row("hosts", list);
    for (const std::string& cores : node_lines())
      row("each has", cores);
    if (const auto r = flux::render_r(resources)) row("R", Json::parse(*r).dump());
    std::string command;
    for (const std::string& word : run_line(explained_))
      command += (command.empty() ? "" : " ") + shell_word(word);
    row("runs", command.empty() ? "nothing by itself: an interactive cluster to log in to" : command);
  }

  [[nodiscard]] std::vector<std::string> node_lines() const {
    std::vector<std::string> lines;
    for (const flux::NodeGroup& group : outcome_.resources.groups) {
      const std::string line = std::to_string(group.cores) + (group.cores == 1 ? " core" : " cores") +
                               (group.gpus == 0 ? "" : ", " + std::to_string(group.gpus) + " GPUs") + " in R";
      if (!std::ranges::contains(lines, line)) lines.push_back(line);
    }
    return lines;
  }

  void settings() {
    title("Settings, and where they come from");
    for (std::size_t i = 0; i < flux::kSettingCount; ++i) {
      const flux::SettingInfo& setting = flux::setting_table()[i];
      const std::string value = setting.write(outcome_.settings);
      row(setting.name, (value.empty() ? "not set" : value) + "  (" + origin_text(explained_, i) + ")");
    }
  }

  void changes() {
    title("Changes, and why");
    if (outcome_.changes.empty()) line("  none");
    for (const flux::Change& change : outcome_.changes) {
      if (std::holds_alternative<flux::EmptyObject>(change.value) ||
          std::holds_alternative<flux::EmptyList>(change.value))
        continue; // a parent of what follows
      line("  ", colored(change.replace ? "replace " : "add ", Color::kCyan, color_), change.pointer);
      line("    " + value_text(change.value));
      line("    because: " + std::string(change.why->text) + " (" + source_text(*change.why) + ")");
    }
  }

  void findings() {
    if (outcome_.findings.empty()) return;
    title("Findings");
    for (const std::string& finding : finding_lines(explained_.file, explained_.subject, outcome_))
      line("  " + finding);
  }

  void title(std::string_view text) { out_ += "\n  " + colored(text, Color::kBold, color_) + "\n"; }
  void line(const std::string& text) { line({}, {}, text); }
  /// `tinted` is words of ours, in colour or not; `text` may hold anything.
  void line(std::string_view indent, const std::string& tinted, const std::string& text) {
    out_ += "  " + std::string(indent) + tinted + printable(text) + "\n";
  }
  void row(std::string_view name, const std::string& text) {
    std::string label(name);
    label.resize(std::max<std::size_t>(label.size(), 18), ' ');
    line("  " + label + text);
  }

  const Explained& explained_;
  const flux::Outcome& outcome_;
  bool color_;
  std::string out_;
};

Json members_json(const flux::Outcome& outcome) {
  Json list = Json::array();
  for (const flux::Member& member : outcome.members)
    list.push_back({{"replicatedJob", member.job->name},
                    {"container", member.container->name},
                    {"replicas", member.job->replicas},
                    {"pods", member.job->pods()}});
  return list;
}

Json settings_json(const Explained& explained) {
  Json list = Json::array();
  for (std::size_t i = 0; i < flux::kSettingCount; ++i) {
    const flux::SettingInfo& setting = flux::setting_table()[i];
    list.push_back({{"name", setting.name},
                    {"value", setting.write(explained.decision.outcome.settings)},
                    {"from", origin_text(explained, i)}});
  }
  return list;
}

Json changes_json(const flux::Outcome& outcome) {
  Json list = Json::array();
  for (const flux::Change& change : outcome.changes)
    list.push_back({{"op", change.replace ? "replace" : "add"},
                    {"path", change.pointer},
                    {"value", value_text(change.value)},
                    {"why", change.why->text},
                    {"rule", change.why->rule ? Json(flux::rule_id(*change.why->rule)) : Json()},
                    {"source", change.why->source}});
  return list;
}

Json findings_json(const Explained& explained) {
  Json list = Json::array();
  for (const Located& located : locate_findings(explained.subject, explained.decision.outcome)) {
    const flux::Finding& finding = located.finding;
    list.push_back({{"rule", flux::rule_id(finding.rule)},
                    {"severity", finding.severity() == flux::Severity::kError ? "error" : "warning"},
                    {"line", located.at.line},
                    {"column", located.at.column},
                    {"field", finding.error.field},
                    {"message", finding.error.message()}});
  }
  return list;
}

void add_instance(const Explained& explained, Json& into) {
  const flux::Resources& resources = explained.decision.outcome.resources;
  if (resources.groups.empty()) return;
  into["lead"] = resources.lead();
  if (const auto lists = flux::hostlists(resources.groups)) into["hosts"] = *lists;
  if (const auto r = flux::render_r(resources)) into["R"] = Json::parse(*r);
  into["run"] = run_line(explained);
}

} // namespace

std::string explanation(const Explained& explained, bool color) {
  return TextWriter(explained, color).write();
}

std::string explanation_json(const Explained& explained) {
  const flux::Outcome& outcome = explained.decision.outcome;
  const auto at = explained.subject.object->at;
  const bool injected = outcome.selected && !outcome.denied();
  Json json{{"file", manifest::place(explained.file, {})},
            {"line", at.line},
            {"column", at.column},
            {"object", display_name(explained.subject, explained.decision.jobset())},
            {"injected", injected},
            {"reason", reason(explained)}};
  if (injected) {
    json["members"] = members_json(outcome);
    add_instance(explained, json);
    json["settings"] = settings_json(explained);
    json["changes"] = changes_json(outcome);
  }
  json["findings"] = findings_json(explained);
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

} // namespace fluxhook::cli
