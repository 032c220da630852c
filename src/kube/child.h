#pragma once

#include <cstddef>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "fluxhook/base/result.h"

namespace fluxhook::kube {

/// A program that ran to its end.
struct Finished {
  std::string output; ///< its standard output
  int exit_code = 0;  ///< 128 + N: ended by signal N
};

/// Runs a program, searched in PATH when its name has no slash. `environment` replaces the process's own;
/// `terminal`: it gets our standard input, else none. Standard error is ours. Error: it can't be started, was
/// stopped, or wrote more than `most` bytes.
[[nodiscard]] Result<Finished> run_child(const std::vector<std::string>& command,
                                         const std::map<std::string, std::string>& environment, bool terminal,
                                         std::size_t most, const std::stop_token& stop);

/// The process's environment.
[[nodiscard]] std::map<std::string, std::string> own_environment();

} // namespace fluxhook::kube
