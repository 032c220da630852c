#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cli/replay_answer.h"
#include "fluxhook/kube/config.h"
#include "fluxhook/kube/error.h"

namespace fluxhook::cli {

/// What to send where.
struct LoadOptions {
  kube::Config server; ///< `server` is its URL without a path
  std::string path;    ///< of the webhook: /mutate
  std::chrono::milliseconds timeout{10'000};
  std::size_t times = 1;       ///< that each review is sent
  std::size_t connections = 1; ///< at the same time, each kept alive
  /// Told a few times a second how many requests have been answered; may be empty.
  std::function<void(std::size_t done, std::size_t all)> progress;
};

/// The shares of requests whose latency is told, and the slowest one.
inline constexpr std::array kShares{0.5, 0.9, 0.99, 0.999};

struct Load {
  std::array<std::size_t, 4> admitted{}; ///< answers, by Admitted
  std::size_t different = 0;             ///< answers that are not what they are to be
  std::size_t again = 0;                 ///< requests sent a second time, since a connection had broken
  std::vector<std::vector<Difference>> differences; ///< by review: of its first answer that has any
  std::chrono::duration<double> took{};
  std::array<std::chrono::duration<double>, kShares.size()> latency{}; ///< by kShares
  std::chrono::duration<double> slowest{};

  [[nodiscard]] std::size_t requests() const;
};

/// Sends the reviews in their order, over again, on all connections. A request's latency is from sending to
/// the answer's last byte; the first one of a connection has the handshake in it. An answer other than 200
/// is a difference. Error: the server can't be reached, or no more: the rest is not sent.
[[nodiscard]] kube::ApiResult<Load> send_load(std::span<const Recorded> reviews, const LoadOptions& options);

} // namespace fluxhook::cli
