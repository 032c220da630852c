/// Module cli: the command line, one file a command.
#pragma once

namespace fluxhook::cli {

/// Runs the program: parses the words, runs the command, and returns the process's exit code (ExitCode). Uses
/// the standard streams: machine output on stdout, everything else on stderr. Throws nothing.
[[nodiscard]] int run(int argc, const char* const* argv) noexcept;

} // namespace fluxhook::cli
