#pragma once

#include <string_view>

namespace fluxhook::flux {

/// The files of templates/, as they were at build time. Placeholders: templates/README.md.
struct Templates {
  std::string_view init_sh, entrypoint_sh, job_sh, broker_toml, curve_cert;
};

/// Static.
[[nodiscard]] const Templates& templates();

} // namespace fluxhook::flux
