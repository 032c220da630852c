#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace fluxhook::certs {

using nlohmann::json;

/// A member's value, of `object` itself: keys are not copied about. Null when it is absent or this is no
/// object.
[[nodiscard]] inline const json& member(const json& object, const char* key) {
  static const json kNull;
  if (!object.is_object()) return kNull;
  const auto found = object.find(key);
  return found == object.end() ? kNull : *found;
}

/// A member that is a string; "" when it is none.
[[nodiscard]] inline std::string text_of(const json& object, const char* key) {
  const json& value = member(object, key);
  return value.is_string() ? value.get<std::string>() : std::string();
}

/// Compact text; what is no UTF-8 is replaced.
[[nodiscard]] inline std::string to_text(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

} // namespace fluxhook::certs
