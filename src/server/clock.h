#pragma once

#include <chrono>

namespace fluxhook::server {

/// What deadlines and durations of the server go by; only a certificate's validity goes by the wall clock.
using Clock = std::chrono::steady_clock;

} // namespace fluxhook::server
