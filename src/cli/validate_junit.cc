#include <algorithm>
#include <ostream>
#include <utility>
#include <vector>

#include "cli/excerpt.h"
#include "cli/subject.h"
#include "cli/validate_output.h"
#include "fluxhook/base/text.h"
#include "fluxhook/manifest/reader.h"

namespace fluxhook::cli {
namespace {

/// Text for XML 1.0, in an attribute too: no reference can stand for a control character, so it is shown
/// escaped.
std::string xml(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    switch (c) {
    case '&': out += "&amp;"; break;
    case '<': out += "&lt;"; break;
    case '>': out += "&gt;"; break;
    case '"': out += "&quot;"; break;
    default: out += c;
    }
  }
  return out;
}

/// One line of a test case's outcome.
struct Line {
  std::string rule, text;
};

struct TestCase {
  std::string file, name;
  std::vector<Line> failures, errors, notes;
};

class JunitFindings : public ValidateOutput {
public:
  JunitFindings(Context& context, bool warnings_fail) : context_(context), warnings_fail_(warnings_fail) {}

  void object(const std::string& file, const std::string& name) override {
    cases_.push_back({manifest::place(file, {}), name, {}, {}, {}});
  }

  void finding(const Report& report) override {
    const std::string file = manifest::place(report.file, {});
    if (cases_.empty() || cases_.back().file != file || cases_.back().name != report.object)
      object(report.file, report.object); // one that is not selected
    const bool fails = report.severity == flux::Severity::kError || warnings_fail_;
    auto& lines = fails ? cases_.back().failures : cases_.back().notes;
    lines.push_back({flux::rule_id(report.finding.rule), manifest::place(report.file, report.at) + ": " +
                                                             finding_text(report.finding, report.hint)});
  }

  void note(const std::string& file, manifest::Position at, const std::string& what) override {
    TestCase one{manifest::place(file, {}), "labels and comments", {}, {}, {}};
    (warnings_fail_ ? one.failures : one.notes)
        .push_back({"warning", manifest::place(file, at) + ": " + what});
    cases_.push_back(std::move(one));
  }

  void fault(const Error& error) override {
    cases_.push_back(
        {std::string(take_apart(error.where).file), "can be judged", {}, {{"unreadable", error.text()}}, {}});
  }

  void end(const Summary&) override {
    const auto failures =
        std::ranges::count_if(cases_, [](const TestCase& one) { return !one.failures.empty(); });
    const auto errors =
        std::ranges::count_if(cases_, [](const TestCase& one) { return !one.errors.empty(); });
    const std::string counts = " tests=\"" + std::to_string(cases_.size()) + "\" failures=\"" +
                               std::to_string(failures) + "\" errors=\"" + std::to_string(errors) + "\"";
    context_.out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" << counts << ">\n"
                 << "  <testsuite name=\"fluxhook\"" << counts << " skipped=\"0\">\n";
    for (const TestCase& one : cases_)
      print(one);
    context_.out << "  </testsuite>\n</testsuites>\n";
  }

private:
  void print(const TestCase& one) {
    context_.out << "    <testcase classname=\"" << xml(one.file) << "\" name=\"" << xml(one.name) << "\"";
    if (one.failures.empty() && one.errors.empty() && one.notes.empty()) {
      context_.out << "/>\n";
      return;
    }
    context_.out << ">\n";
    print("error", one.errors);
    print("failure", one.failures);
    for (std::size_t i = 0; i < one.notes.size(); ++i)
      context_.out << (i == 0 ? "      <system-out>" : "\n") << xml(one.notes[i].text)
                   << (i + 1 == one.notes.size() ? "</system-out>\n" : "");
    context_.out << "    </testcase>\n";
  }

  void print(std::string_view element, const std::vector<Line>& lines) {
    if (lines.empty()) return; // one element a test case: not every reader takes more
    context_.out << "      <" << element << " type=\"" << xml(lines.front().rule) << "\" message=\""
                 << xml(lines.front().text) << "\">";
    for (const Line& line : lines)
      context_.out << (&line == lines.data() ? "" : "\n") << xml(line.text);
    context_.out << "</" << element << ">\n";
  }

  Context& context_;
  bool warnings_fail_;
  std::vector<TestCase> cases_;
};

} // namespace

std::unique_ptr<ValidateOutput> junit_findings(Context& context, bool warnings_fail) {
  return std::make_unique<JunitFindings>(context, warnings_fail);
}

} // namespace fluxhook::cli
