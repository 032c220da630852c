#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <thread>

#include "fluxhook/kube/time.h"

namespace fluxhook::kube {

/// A stop token that is stopped when another one is, or after a time.
class TimeLimit {
public:
  TimeLimit(const std::stop_token& parent, std::chrono::milliseconds time)
      : forward_(parent, [this] { source_.request_stop(); }),
        timer_([this, time](const std::stop_token& over) {
          if (sleep_for(time, over)) source_.request_stop();
        }) {}

  [[nodiscard]] std::stop_token token() const { return source_.get_token(); }

private:
  std::stop_source source_;
  std::stop_callback<std::function<void()>> forward_;
  std::jthread timer_; ///< last: it ends first
};

} // namespace fluxhook::kube
