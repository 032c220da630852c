#pragma once

#include <string>
#include <vector>

namespace fluxhook::flux {

/// What `flux run` would refuse in the words of run-options, or take for something else than a job's options;
/// empty: nothing. They stand between fluxhook's own (-N, -n, -c, -g) and the command. An option that is not
/// known here passes, as versions and plugins of Flux have others (flux-core, flux-run(1)).
[[nodiscard]] std::string check_run_options(const std::vector<std::string>& words);

} // namespace fluxhook::flux
