#include "cli/validate_output.h"

#include <ostream>

#include <nlohmann/json.hpp>

#include "cli/subject.h"
#include "cli/terminal.h"
#include "fluxhook/base/text.h"
#include "fluxhook/manifest/reader.h"

namespace fluxhook::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string_view severity_word(flux::Severity severity) {
  return severity == flux::Severity::kError ? "error" : "warning";
}

class TextFindings : public ValidateOutput {
public:
  explicit TextFindings(Context& context) : context_(context), color_(wants_color()) {}

  void finding(const Report& report) override {
    const Color tint = report.severity == flux::Severity::kError ? Color::kRed : Color::kYellow;
    context_.out << printable(manifest::place(report.file, report.at)) << ": "
                 << colored(severity_word(report.severity), tint, color_) << ' '
                 << printable(finding_text(report.finding, report.hint)) << '\n';
  }

private:
  Context& context_;
  bool color_;
};

class JsonFindings : public ValidateOutput {
public:
  explicit JsonFindings(Context& context) : context_(context) {}

  void finding(const Report& report) override {
    const flux::RuleInfo& rule = flux::info(report.finding.rule);
    findings_.push_back({{"rule", flux::rule_id(rule.rule)},
                         {"name", rule.name},
                         {"severity", severity_word(report.severity)},
                         {"file", manifest::place(report.file, {})},
                         {"line", report.at.line},
                         {"column", report.at.column},
                         {"object", report.object},
                         {"field", report.finding.error.field},
                         {"message", report.finding.error.message()},
                         {"hint", report.hint}});
  }

  void note(const std::string& file, manifest::Position at, const std::string& what) override {
    notes_.push_back(
        {{"file", manifest::place(file, {})}, {"line", at.line}, {"column", at.column}, {"message", what}});
  }

  void fault(const Error& error) override {
    faults_.push_back({{"where", error.where}, {"message", error.what}});
  }

  void end(const Summary& summary) override {
    const Json result{{"findings", findings_},
                      {"notes", notes_},
                      {"unreadable", faults_},
                      {"summary",
                       {{"documents", summary.documents},
                        {"judged", summary.judged},
                        {"unlabelled", summary.unlabelled},
                        {"unselected", summary.unselected},
                        {"others", summary.others},
                        {"notObjects", summary.not_objects},
                        {"errors", summary.errors},
                        {"warnings", summary.warnings}}}};
    context_.out << result.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
  }

private:
  Context& context_;
  Json findings_ = Json::array();
  Json notes_ = Json::array();
  Json faults_ = Json::array();
};

/// A place as manifest::place() writes it, taken apart again: FILE[:LINE:COLUMN].
struct Place {
  std::string_view file;
  std::string_view line, column; ///< empty: not known
};

Place take_apart(std::string_view where) {
  const auto last_number = [](std::string_view text) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) return std::string_view();
    const auto number = text.substr(colon + 1);
    return parse_integer(number) ? number : std::string_view();
  };
  const auto column = last_number(where);
  const auto before = where.substr(0, where.size() - column.size() - (column.empty() ? 0 : 1));
  const auto line = last_number(before);
  if (column.empty() || line.empty()) return {where, {}, {}};
  return {before.substr(0, before.size() - line.size() - 1), line, column};
}

class GithubFindings : public ValidateOutput {
public:
  explicit GithubFindings(Context& context) : context_(context) {}

  void finding(const Report& report) override {
    context_.out << "::" << severity_word(report.severity)
                 << " file=" << escaped(manifest::place(report.file, {}), true) << ",line=" << report.at.line
                 << ",col=" << report.at.column << ",title=" << flux::rule_id(report.finding.rule)
                 << "::" << escaped(printable(finding_text(report.finding, report.hint)), false) << '\n';
  }

  void note(const std::string& file, manifest::Position at, const std::string& what) override {
    context_.out << "::warning file=" << escaped(manifest::place(file, {}), true) << ",line=" << at.line
                 << ",col=" << at.column << "::" << escaped(printable(what), false) << '\n';
  }

  void fault(const Error& error) override {
    const Place at = take_apart(error.where);
    context_.out << "::error file=" << escaped(at.file, true);
    if (!at.line.empty()) context_.out << ",line=" << at.line << ",col=" << at.column;
    context_.out << "::" << escaped(printable(error.what), false) << '\n';
  }

private:
  /// As GitHub's own toolkit escapes data, and properties, which more characters would end.
  static std::string escaped(std::string_view text, bool property) {
    std::string out;
    for (const char c : text) {
      if (c == '%') out += "%25";
      else if (c == '\r') out += "%0D";
      else if (c == '\n') out += "%0A";
      else if (property && c == ':') out += "%3A";
      else if (property && c == ',') out += "%2C";
      else out += c;
    }
    return printable(out);
  }

  Context& context_;
};

std::string counted(std::size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

} // namespace

std::string Summary::text() const {
  std::string text = counted(judged, "JobSet") + " judged";
  if (unlabelled > 0) text += ", " + std::to_string(unlabelled) + " without the label";
  if (unselected > 0) text += ", " + std::to_string(unselected) + " with the label but not selected";
  if (others > 0) text += ", " + counted(others, "other object");
  if (not_objects > 0)
    text += ", " + std::to_string(not_objects) +
            (not_objects == 1 ? " not a Kubernetes object" : " not Kubernetes objects");
  if (unreadable > 0) text += ", " + std::to_string(unreadable) + " unreadable";
  return text + ": " + counted(errors, "error") + ", " + counted(warnings, "warning");
}

std::unique_ptr<ValidateOutput> text_findings(Context& context) {
  return std::make_unique<TextFindings>(context);
}

std::unique_ptr<ValidateOutput> json_findings(Context& context) {
  return std::make_unique<JsonFindings>(context);
}

std::unique_ptr<ValidateOutput> github_findings(Context& context) {
  return std::make_unique<GithubFindings>(context);
}

} // namespace fluxhook::cli
