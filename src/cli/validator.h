#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/ignores.h"
#include "cli/input.h"
#include "cli/subject.h"
#include "cli/validate_output.h"

namespace fluxhook::cli {

/// What `fluxhook validate` is to find.
struct ValidateRules {
  bool strict = false;             ///< settings on a JobSet without the label are errors
  bool warnings_as_errors = false; ///< for the exit code
  bool all = false;                ///< more than kMaxTold findings of an object
  std::vector<flux::Rule> disabled;
  flux::Defaults defaults;
};

/// Decides each JobSet of the input as the mutating webhook would, and reports what it finds.
class Validator : public InputHandler {
public:
  Validator(const ValidateRules& rules, ValidateOutput& output, Context& context)
      : rules_(rules), output_(output), context_(context) {}

  void take(const std::string& file, manifest::Document& document) override;
  void fault(const Error& error) override;
  void passed_over(const std::string& file, const std::string& why) override;
  /// Prints the summary and sets the exit code.
  void end();

private:
  void take_object(const manifest::Node& object);
  void count(const Decision& decision);
  void warn(manifest::Position at, const std::string& what);
  void check_settings(const Subject& subject, const Decision& decision);
  void check_ignores();
  void report(const Subject& subject, const Decision& decision, Located located, flux::Severity severity);

  const ValidateRules& rules_;
  ValidateOutput& output_;
  Context& context_;
  Summary summary_;
  const std::string* file_ = nullptr;
  const manifest::Document* document_ = nullptr;
  Ignores* ignores_ = nullptr; ///< of the document
  std::size_t told_ = 0;       ///< findings of the object
};

} // namespace fluxhook::cli
