#pragma once

#include <chrono>
#include <random>

namespace fluxhook::kube {

/// How long to wait between tries: twice as long each time up to a limit, times a random factor of 1 to 2.
class Backoff {
public:
  explicit Backoff(std::chrono::milliseconds first = std::chrono::milliseconds(800),
                   std::chrono::milliseconds most = std::chrono::seconds(30))
      : first_(first), most_(most), next_(first) {}

  /// The next wait.
  [[nodiscard]] std::chrono::milliseconds next() {
    const auto base = next_;
    next_ = next_ * 2 < most_ ? next_ * 2 : most_;
    return base + std::chrono::milliseconds(std::uniform_int_distribution<long>(0, base.count())(random_));
  }
  void reset() { next_ = first_; } ///< a try was good

private:
  std::chrono::milliseconds first_, most_, next_;
  std::minstd_rand random_{std::random_device{}()};
};

} // namespace fluxhook::kube
