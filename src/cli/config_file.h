#pragma once

#include <string>

#include "fluxhook/base/result.h"

namespace CLI {
class App;
}

namespace fluxhook::cli {

/// Sets the options of a parsed command from a YAML file of one object, whose keys are the long flags without
/// their dashes; a list is a flag given several times. What the command line gave stays. To be called first
/// in the command's callback. Error: what can't be read, a key that is no flag of any command, or a value
/// that the flag would not take, with FILE:LINE:COLUMN.
[[nodiscard]] Result<void> apply_config(CLI::App& command, const std::string& file);

} // namespace fluxhook::cli
