#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "fluxhook/flux/settings.h"
#include "fluxhook/k8s/field_error.h"

namespace fluxhook::flux {

/// What is wrong with a setting's text; its `field` is for the caller to fill in.
using SettingFault = std::optional<k8s::FieldError>;

/// One setting: how its text form (an annotation, an env variable, a flag, the injected annotation) is read
/// and written. The only place that knows the settings one by one.
struct SettingInfo {
  std::string_view name; ///< the annotation's, without the prefix
  std::string_view env;  ///< the env variable of the chosen container that may set it; empty: none
  SettingFault (*read)(std::string_view text, Settings& out); ///< leaves `out` alone on a fault
  std::string (*write)(const Settings& settings);             ///< empty when unset
  void (*copy)(const Settings& from, Settings& to);           ///< this setting only
};

/// All settings, sorted by name.
[[nodiscard]] std::span<const SettingInfo> setting_table();

/// The setting of that name; none when there is no such setting.
[[nodiscard]] const SettingInfo* find_setting(std::string_view name);

/// The row's place in setting_table(), by which Outcome::origins and Injected::set go.
[[nodiscard]] inline std::size_t setting_index(const SettingInfo& row) {
  return static_cast<std::size_t>(&row - setting_table().data());
}

/// `metadata.annotations[flux-framework.org/<name>]`
[[nodiscard]] std::string annotation_field(std::string_view name);

} // namespace fluxhook::flux
