#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "migrate/tree.h"

namespace fluxhook::migrate {

constexpr std::int64_t kMostInt32 = std::numeric_limits<std::int32_t>::max();

/// "must be an integer from 0 to 9, is "x"", where a value is none; else nothing.
[[nodiscard]] std::optional<std::string> wrong_integer(const Node& value, std::int64_t least,
                                                       std::int64_t most = kMostInt32);

/// The same of a value for a path of the JobSet (as Migration::put_at takes it), by its type there. A path
/// that isn't known here takes everything.
[[nodiscard]] std::optional<std::string> wrong_shape(std::string_view path, const Node& value);

} // namespace fluxhook::migrate
