// docs_facts: the tables of rules and settings, as JSON.
// docs_facts validate: the validating webhook's answer to the AdmissionReview on stdin.
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "fluxhook/admission/admission.h"
#include "fluxhook/flux/rules.h"
#include "fluxhook/flux/setting_table.h"

namespace {

using namespace fluxhook;
using nlohmann::json;

json tables() {
  json rules = json::array();
  for (const auto& rule : flux::rules())
    rules.push_back({{"id", flux::rule_id(rule.rule)},
                     {"name", rule.name},
                     {"severity", rule.severity == flux::Severity::kError ? "error" : "warning"},
                     {"title", rule.title}});
  json settings = json::array();
  for (const auto& row : flux::setting_table())
    settings.push_back({{"name", row.name}, {"env", row.env}, {"default", row.write(flux::Settings{})}});
  return {{"rules", rules}, {"settings", settings}};
}

int validate() {
  std::string body(std::istreambuf_iterator<char>(std::cin), {});
  const auto answer = admission::review(body, admission::Webhook::kValidate, {});
  if (!answer) {
    std::cerr << answer.error().text() << '\n';
    return 1;
  }
  std::cout << answer->body << '\n';
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "validate") return validate();
  std::cout << tables().dump() << '\n';
  return 0;
}
