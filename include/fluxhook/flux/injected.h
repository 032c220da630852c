#pragma once

#include <bitset>
#include <string>
#include <string_view>

#include "fluxhook/base/result.h"
#include "fluxhook/flux/settings.h"

namespace fluxhook::flux {

/// The annotation flux-framework.org/injected: which version injected, and the effective settings, in
/// canonical JSON (keys sorted, no white space): {"defaults":{…},"set":{…},"version":"0.1.0"}. Keys are the
/// annotations' names without the prefix; `set` holds what the user set (annotation or env), `defaults` the
/// rest, so that an object created again keeps its settings when a server's defaults have changed meanwhile.
struct Injected {
  std::string version;
  Settings settings;
  std::bitset<kSettingCount> set; ///< by row of setting_table(): the user set it
};

/// The annotation's text; the same value gives the same bytes.
[[nodiscard]] std::string format_injected(const Injected& injected);

/// Reads it with the same strictness as the annotations themselves: it is somebody's input like any other. A
/// setting that only another version of fluxhook knows is passed over. Error: `where` is the setting, if it
/// is one's fault.
[[nodiscard]] Result<Injected> parse_injected(std::string_view text);

} // namespace fluxhook::flux
