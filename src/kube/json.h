#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace fluxhook::kube {

using nlohmann::json;

/// JSON from the network: discarded, not thrown, when it is none.
[[nodiscard]] inline json parse_json(std::string_view text) { return json::parse(text, nullptr, false); }

/// A member's value; nullptr when it is absent or this is no object.
[[nodiscard]] inline const json* member(const json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

/// A member that is a string; "" when it is none.
[[nodiscard]] inline std::string text_of(const json& object, const char* key) {
  const json* const value = member(object, key);
  return value != nullptr && value->is_string() ? value->get<std::string>() : std::string();
}

/// A member that is an integer of 64 bits.
[[nodiscard]] inline std::optional<std::int64_t> integer_of(const json& object, const char* key) {
  const json* const value = member(object, key);
  if (value == nullptr || !value->is_number_integer()) return {};
  if (value->is_number_unsigned() && value->get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max())
    return {};
  return value->get<std::int64_t>();
}

/// Compact text; what is no UTF-8 is replaced.
[[nodiscard]] inline std::string to_text(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

} // namespace fluxhook::kube
