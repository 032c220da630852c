#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include "fluxhook/base/result.h"

namespace CLI {
class App;
}

namespace fluxhook::cli {

/// Exit codes of every command, whatever its output format.
enum ExitCode : int {
  kDone = 0,
  kFindings = 1,    ///< findings, or a denial
  kNoAnswer = 2,    ///< the question could not be answered: usage, unreadable, unparsable, no input
  kUnreachable = 3, ///< the cluster or server that a command asks could not be reached
};

/// What every command gets: the streams, the common options, and where it leaves its exit code.
struct Context {
  std::istream& in;
  std::ostream& out;               ///< machine output only
  std::ostream& err;               ///< everything else
  std::string config;              ///< a file for apply_config(); empty: none
  std::string log_level = "info";  ///< trace, debug, info, warn, error or off
  std::string log_format = "text"; ///< text or json
  int exit = kDone;

  /// Prints a line on stderr, in one write, whatever a name or a value in it holds.
  void tell(std::string_view line) const;
  /// Tells `WHERE: error: WHAT`, of what can't be read or decided, and leaves kNoAnswer.
  void report(const Error& error);
  /// Tells `fluxhook: error: WHAT` and leaves `code`.
  void fail(std::string_view what, int code = kNoAnswer);
};

// One declaration a command: each adds its subcommand with flags, and a callback that runs it once everything
// is parsed. What a callback finds wrong with the flags it reports by Context::fail.

void add_serve(CLI::App& app, Context& context);
void add_validate(CLI::App& app, Context& context);
void add_mutate(CLI::App& app, Context& context);
void add_explain(CLI::App& app, Context& context);
void add_migrate(CLI::App& app, Context& context);
void add_certs(CLI::App& app, Context& context);
void add_doctor(CLI::App& app, Context& context);
void add_replay(CLI::App& app, Context& context);
void add_completion(CLI::App& app, Context& context);

} // namespace fluxhook::cli
