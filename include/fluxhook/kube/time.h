#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace fluxhook::kube {

/// metav1.MicroTime: "2026-01-02T03:04:05.000006Z".
[[nodiscard]] std::string format_micro_time(std::chrono::system_clock::time_point time);

/// RFC 3339 with any offset and fraction; none when it is something else. A time before 1900 (Go's zero) or
/// after 2190 (one that means never) is that of the border.
[[nodiscard]] std::optional<std::chrono::system_clock::time_point> parse_time(std::string_view text);

/// Waits; false: stopped before it was over. Tests give one that notes the times and returns at once.
using Sleep = std::function<bool(std::chrono::milliseconds, const std::stop_token&)>;

/// Sleep on the real clock. A stop ends it at once.
[[nodiscard]] bool sleep_for(std::chrono::milliseconds time, const std::stop_token& stop);

} // namespace fluxhook::kube
