#pragma once

namespace CLI {
class App;
}

namespace fluxhook::cli {

struct Context;

/// Sets the options of a parsed command from context.config, if that is given: a YAML file of one object,
/// whose keys are the long flags without their dashes; a list is a flag given several times. What the command
/// line gave stays. The flags of all commands may be in it, so that a server's file serves the other
/// commands, and all are checked. To be called first in the command's callback. False: told, with
/// FILE:LINE:COLUMN, is what can't be read, a key that is no flag, or a value that the flag would not take.
[[nodiscard]] bool apply_config(CLI::App& command, Context& context);

} // namespace fluxhook::cli
