#include <algorithm>
#include <cctype>
#include <filesystem>
#include <ostream>

#include <nlohmann/json.hpp>

#include "cli/excerpt.h"
#include "cli/validate_output.h"
#include "fluxhook/base/text.h"
#include "fluxhook/base/version.h"
#include "fluxhook/manifest/reader.h"

// SARIF 2.1.0: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
namespace fluxhook::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// A path as a URI (RFC 3986): relative to the current folder where it is below it.
std::string uri_of(std::string_view file) {
  const bool is_input = file == manifest::kStandardInput || file == "<stdin>";
  fs::path path = is_input ? fs::path("stdin") : fs::path(file).lexically_normal();
  std::error_code fault;
  if (path.is_absolute()) {
    const fs::path below = path.lexically_relative(fs::current_path(fault));
    if (!fault && !below.empty() && *below.begin() != "..") path = below;
  }
  std::string uri = path.is_absolute() ? "file://" : "";
  for (const char c : path.generic_string()) {
    constexpr std::string_view kPlain = "-._~/!$&'()*+,;=@";
    constexpr std::string_view kHex = "0123456789ABCDEF";
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80 && (std::isalnum(byte) != 0 || kPlain.contains(c))) uri += c;
    else (uri += '%').append({kHex[byte >> 4U], kHex[byte & 15U]});
  }
  return uri;
}

Json location(std::string_view file, manifest::Position at) {
  Json physical{{"artifactLocation", {{"uri", uri_of(file)}}}};
  if (at.line > 0) physical["region"] = {{"startLine", at.line}, {"startColumn", at.column}};
  return {{"physicalLocation", std::move(physical)}};
}

Json rule_json(const flux::RuleInfo& rule) {
  const std::string id = flux::rule_id(rule.rule);
  std::string anchor = id + "-" + std::string(rule.name);
  std::ranges::transform(anchor, anchor.begin(), [](unsigned char c) { return std::tolower(c); });
  return {{"id", id},
          {"name", rule.name},
          {"shortDescription", {{"text", rule.title}}},
          {"fullDescription", {{"text", rule.title}}},
          {"help", {{"text", "What, why, a wrong example and a right one: docs/rules.md#" + anchor}}},
          {"defaultConfiguration", {{"level", severity_word(rule.severity)}}}};
}

class SarifFindings : public ValidateOutput {
public:
  explicit SarifFindings(Context& context) : context_(context) {}

  void finding(const Report& report) override {
    const auto rule = std::ranges::find(flux::rules(), report.finding.rule, &flux::RuleInfo::rule);
    std::string text = report.finding.error.text();
    if (!report.hint.empty()) text += "; " + std::string(report.hint);
    Json place = location(report.file, report.at);
    place["logicalLocations"] = Json::array({{{"name", printable(report.object)}, {"kind", "object"}}});
    results_.push_back({{"ruleId", flux::rule_id(rule->rule)},
                        {"ruleIndex", rule - flux::rules().begin()},
                        {"level", severity_word(report.severity)},
                        {"message", {{"text", printable(text)}}},
                        {"locations", Json::array({std::move(place)})}});
  }

  void note(const std::string& file, manifest::Position at, const std::string& what) override {
    notify("warning", what, location(file, at));
  }

  void fault(const Error& error) override {
    const Place place = take_apart(error.where);
    notify("error", error.what, location(place.file, place.at));
    complete_ = false;
  }

  void end(const Summary&) override {
    Json rules = Json::array();
    for (const flux::RuleInfo& rule : flux::rules())
      rules.push_back(rule_json(rule));
    const Json driver{{"name", "fluxhook"}, {"semanticVersion", kVersion}, {"rules", std::move(rules)}};
    const Json run{{"tool", {{"driver", driver}}},
                   {"columnKind", "unicodeCodePoints"},
                   {"invocations", Json::array({{{"executionSuccessful", complete_},
                                                 {"toolExecutionNotifications", notifications_}}})},
                   {"results", results_}};
    const Json log{{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                   {"version", "2.1.0"},
                   {"runs", Json::array({run})}};
    context_.out << log.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
  }

private:
  /// About the run, and no rule's.
  void notify(std::string_view level, const std::string& what, Json place) {
    notifications_.push_back({{"level", level},
                              {"message", {{"text", printable(what)}}},
                              {"locations", Json::array({std::move(place)})}});
  }

  Context& context_;
  Json results_ = Json::array();
  Json notifications_ = Json::array();
  bool complete_ = true; ///< all of the input could be judged
};

} // namespace

std::unique_ptr<ValidateOutput> sarif_findings(Context& context) {
  return std::make_unique<SarifFindings>(context);
}

} // namespace fluxhook::cli
