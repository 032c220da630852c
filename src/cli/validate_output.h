#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "cli/commands.h"
#include "fluxhook/base/result.h"
#include "fluxhook/flux/rules.h"
#include "fluxhook/manifest/node.h"

namespace fluxhook::cli {

/// A finding about an object of the input.
struct Report {
  std::string file;
  manifest::Position at;
  std::string object; ///< namespace/name
  flux::Severity severity = flux::Severity::kError;
  flux::Finding finding;
  std::string_view hint; ///< as Located has it
  std::string_view line; ///< of the file, with the place in it
};

/// What the input held.
struct Summary {
  std::size_t documents = 0; ///< objects: items of lists count one by one
  std::size_t judged = 0;    ///< JobSets with the label
  std::size_t unlabelled = 0;
  std::size_t unselected = 0;  ///< with a label that does not select them, or left alone in spite of it
  std::size_t others = 0;      ///< of other kinds
  std::size_t not_objects = 0; ///< values.yaml and the like
  std::size_t errors = 0;
  std::size_t warnings = 0;
  std::size_t unreadable = 0;
  std::size_t ignored = 0;        ///< findings, by comments
  std::size_t faulty_ignores = 0; ///< comments that can't be taken

  /// "2 JobSets judged, 1 without the label, 3 other objects: 1 error, 0 warnings"
  [[nodiscard]] std::string text() const;
};

/// Prints findings in one of the formats of `fluxhook validate`.
class ValidateOutput {
public:
  ValidateOutput() = default;
  ValidateOutput(const ValidateOutput&) = delete;
  ValidateOutput& operator=(const ValidateOutput&) = delete;
  virtual ~ValidateOutput() = default;

  /// A JobSet that is judged: the findings that follow are its own.
  virtual void object(const std::string& /*file*/, const std::string& /*name*/) {}
  virtual void finding(const Report& report) = 0;
  /// A warning that no rule gives; it is on stderr already.
  virtual void note(const std::string& /*file*/, manifest::Position /*at*/, const std::string& /*what*/) {}
  /// What can't be read; it is on stderr already.
  virtual void fault(const Error&) {}
  virtual void end(const Summary&) {}
};

/// FILE:LINE:COLUMN: error FH001 FIELD: MESSAGE, and the line with a caret below the place.
[[nodiscard]] std::unique_ptr<ValidateOutput> text_findings(Context& context);
/// One object with findings, notes, what is unreadable, and the summary.
[[nodiscard]] std::unique_ptr<ValidateOutput> json_findings(Context& context);
/// SARIF 2.1.0, for code scanning.
[[nodiscard]] std::unique_ptr<ValidateOutput> sarif_findings(Context& context);
/// JUnit's XML: a test case a judged JobSet. Warnings are its output, or, with `warnings_fail`, failures.
[[nodiscard]] std::unique_ptr<ValidateOutput> junit_findings(Context& context, bool warnings_fail);
/// GitHub's workflow commands: annotations on the lines of a pull request.
[[nodiscard]] std::unique_ptr<ValidateOutput> github_findings(Context& context);

/// "error" or "warning".
[[nodiscard]] std::string_view severity_word(flux::Severity severity);

} // namespace fluxhook::cli
