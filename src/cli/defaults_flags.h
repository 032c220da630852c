#pragma once

#include "fluxhook/flux/settings.h"

namespace CLI {
class App;
}

namespace fluxhook::cli {

/// Adds the flags that every command shares with `serve`: --label, --cluster-domain and --default-*, into
/// `defaults`, which has to outlive `app`. Values are checked like the annotations.
void add_defaults(CLI::App& app, flux::Defaults& defaults);

} // namespace fluxhook::cli
