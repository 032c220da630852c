#include "cli/doctor_report.h"

#include <algorithm>
#include <array>
#include <format>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "fluxhook/base/text.h"

namespace fluxhook::cli {

namespace {

std::string_view word(Health health) {
  static constexpr std::array<std::string_view, 4> kWords{"ok", "skip", "warn", "fail"};
  return kWords.at(std::to_underlying(health));
}

} // namespace

bool has_failed(const Findings& findings) {
  return std::ranges::contains(findings, Health::kFail, &Finding::health);
}

std::string findings_text(const Findings& findings) {
  std::string text;
  for (const Finding& finding : findings) {
    text += std::format("{:<5} {}: {}\n", word(finding.health), finding.check, printable(finding.message));
    if (!finding.advice.empty()) text += "      " + printable(finding.advice) + "\n";
  }
  return text;
}

std::string findings_json(const Findings& findings) {
  using Json = nlohmann::ordered_json;
  Json checks = Json::array();
  for (const Finding& finding : findings) {
    Json check{{"check", finding.check}, {"result", word(finding.health)}, {"message", finding.message}};
    if (!finding.advice.empty()) check["advice"] = finding.advice;
    checks.push_back(std::move(check));
  }
  const Json report{{"healthy", !has_failed(findings)}, {"checks", std::move(checks)}};
  return report.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace fluxhook::cli
