#include "cli/validate_output.h"

#include <ostream>

#include <nlohmann/json.hpp>

#include "cli/counted.h"
#include "cli/excerpt.h"
#include "cli/subject.h"
#include "cli/terminal.h"
#include "fluxhook/base/text.h"
#include "fluxhook/manifest/reader.h"

namespace fluxhook::cli {
namespace {

using Json = nlohmann::ordered_json;

class TextFindings : public ValidateOutput {
public:
  explicit TextFindings(Context& context) : context_(context), color_(wants_color()) {}

  void finding(const Report& report) override {
    const Color tint = report.severity == flux::Severity::kError ? Color::kRed : Color::kYellow;
    context_.out << printable(manifest::place(report.file, report.at)) << ": "
                 << colored(severity_word(report.severity), tint, color_) << ' '
                 << printable(finding_text(report.finding, report.hint)) << '\n';
    if (const std::string lines = excerpt(report.line, report.at); !lines.empty())
      context_.out << lines << '\n';
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
                        {"ignored", summary.ignored},
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
    annotate("warning", {manifest::place(file, {}), at}, what);
  }

  void fault(const Error& error) override { annotate("error", take_apart(error.where), error.what); }

private:
  void annotate(std::string_view severity, const Place& place, std::string_view what) {
    context_.out << "::" << severity << " file=" << escaped(place.file, true);
    if (place.at.line > 0) context_.out << ",line=" << place.at.line << ",col=" << place.at.column;
    context_.out << "::" << escaped(printable(what), false) << '\n';
  }

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

} // namespace

std::string_view severity_word(flux::Severity severity) {
  return severity == flux::Severity::kError ? "error" : "warning";
}

std::string Summary::text() const {
  std::string text = counted(judged, "JobSet") + " judged";
  if (unlabelled > 0) text += ", " + std::to_string(unlabelled) + " without the label";
  if (unselected > 0) text += ", " + std::to_string(unselected) + " with the label but not selected";
  if (others > 0) text += ", " + counted(others, "other object");
  if (not_objects > 0)
    text += ", " + std::to_string(not_objects) +
            (not_objects == 1 ? " not a Kubernetes object" : " not Kubernetes objects");
  if (ignored > 0) text += ", " + counted(ignored, "finding") + " ignored";
  if (faulty_ignores > 0) text += ", " + counted(faulty_ignores, "faulty ignore comment");
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
