#include "cli/replay_load.h"

#include <prometheus/summary.h>

#include <algorithm>
#include <atomic>
#include <format>
#include <mutex>
#include <numeric>
#include <optional>
#include <semaphore>
#include <thread>
#include <utility>

#include "fluxhook/kube/client.h"

namespace fluxhook::cli {

namespace {

using Seconds = std::chrono::duration<double>;
using kube::ErrorKind;
using std::chrono::steady_clock;

/// Quantiles as prometheus-cpp estimates them (Cormode et al., CKMS): by rank, so exact for few requests;
/// memory hardly grows with their number.
prometheus::Summary::Quantiles quantiles() {
  prometheus::Summary::Quantiles wanted;
  for (const double share : kShares)
    wanted.emplace_back(share, std::min(0.001, (1 - share) / 10));
  return wanted;
}

bool is_reached(ErrorKind kind) {
  return kind != ErrorKind::kUnreachable && kind != ErrorKind::kTls && kind != ErrorKind::kCredentials &&
         kind != ErrorKind::kStopped;
}

/// What the connections have together.
class Sending {
public:
  Sending(std::span<const Recorded> reviews, const LoadOptions& options)
      : reviews_(reviews), options_(options), total_(reviews.size() * options.times),
        latencies_(quantiles(), std::chrono::hours(24 * 365), 1) {
    load_.differences.resize(reviews.size());
  }

  /// One connection, until all is sent or the server can't be reached.
  void run() {
    const std::stop_token stop = stop_.get_token();
    const auto client = kube::Client::open(
        options_.server,
        {.connect_timeout = options_.timeout, .request_timeout = options_.timeout + kGrace, .retries = 0});
    if (!client) return give_up({ErrorKind::kCredentials, "", client.error().text()});
    std::vector<std::optional<std::string>> good(reviews_.size()); // answers that were checked already
    std::vector<Admitted> admitted(reviews_.size());
    while (!stop.stop_requested()) {
      const std::size_t number = next_++;
      if (number >= total_) return;
      const std::size_t index = number % reviews_.size();
      const auto start = steady_clock::now();
      const auto answer = send(**client, reviews_[index], stop);
      const Seconds took = steady_clock::now() - start;
      if (!answer && !is_reached(answer.error().kind)) return give_up(answer.error());
      if (!answer || *answer != good[index]) {
        const Checked checked = answer ? check_answer(reviews_[index], *answer) : refused(answer.error());
        if (answer && checked.differences.empty()) good[index] = *answer;
        admitted[index] = checked.admitted;
        count(index, took, checked.admitted, checked.differences);
      } else count(index, took, admitted[index], {});
    }
  }

  void tell(const std::function<void(std::size_t, std::size_t)>& progress) {
    const std::scoped_lock lock(mutex_);
    progress(load_.requests(), total_);
  }

  kube::ApiResult<Load> end(Seconds took) {
    if (fault_) return std::unexpected(*fault_);
    load_.took = took;
    const auto summary = latencies_.Collect().summary;
    for (std::size_t i = 0; i < kShares.size(); ++i)
      load_.latency.at(i) = Seconds(summary.quantile.at(i).value);
    return std::move(load_);
  }

private:
  static constexpr std::chrono::seconds kGrace{1}; ///< that the server's own deadline is heard of first

  /// Once more on a new connection when one breaks that was kept alive, as an API server does.
  kube::ApiResult<std::string> send(kube::Client& client, const Recorded& review,
                                    const std::stop_token& stopped) {
    const std::string path = std::format("{}?timeout={}ms", options_.path, options_.timeout.count());
    auto answer = client.create(path, review.body, {.field_manager = ""}, stopped);
    if (answer || answer.error().kind != ErrorKind::kUnreachable || !once_reached_) {
      once_reached_ = once_reached_ || answer || is_reached(answer.error().kind);
      return answer;
    }
    const std::scoped_lock lock(mutex_);
    ++load_.again;
    return client.create(path, review.body, {.field_manager = ""}, stopped);
  }

  static Checked refused(const kube::ApiError& error) {
    const std::string status = error.code == 0 ? "" : std::format("HTTP {}: ", error.code);
    return {Admitted::kNoAnswer, {{"", "HTTP 200", status + error.message}}};
  }

  void count(std::size_t index, Seconds took, Admitted admitted, const std::vector<Difference>& differences) {
    latencies_.Observe(took.count());
    const std::scoped_lock lock(mutex_);
    load_.slowest = std::max(load_.slowest, took);
    ++load_.admitted.at(std::to_underlying(admitted));
    if (!differences.empty()) ++load_.different;
    if (load_.differences[index].empty()) load_.differences[index] = differences;
  }

  void give_up(kube::ApiError error) {
    if (error.kind == ErrorKind::kStopped) return;
    const std::scoped_lock lock(mutex_);
    if (!fault_) fault_ = std::move(error);
    stop_.request_stop();
  }

  std::span<const Recorded> reviews_;
  const LoadOptions& options_;
  const std::size_t total_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> once_reached_{false};
  std::stop_source stop_;
  prometheus::Summary latencies_; ///< seconds; it has its own lock
  std::mutex mutex_;
  Load load_;
  std::optional<kube::ApiError> fault_;
};

} // namespace

std::size_t Load::requests() const {
  return std::accumulate(admitted.begin(), admitted.end(), std::size_t{0});
}

kube::ApiResult<Load> send_load(std::span<const Recorded> reviews, const LoadOptions& options) {
  Sending sending(reviews, options);
  const std::size_t count = std::min(options.connections, reviews.size() * options.times);
  std::counting_semaphore<> ended(0);
  std::vector<std::jthread> connections;
  connections.reserve(count);
  const auto start = steady_clock::now();
  for (std::size_t i = 0; i < count; ++i)
    connections.emplace_back([&] {
      sending.run();
      ended.release();
    });
  for (std::size_t i = 0; i < count; ++i)
    while (!ended.try_acquire_for(std::chrono::milliseconds(200)))
      if (options.progress) sending.tell(options.progress);
  return sending.end(steady_clock::now() - start);
}

} // namespace fluxhook::cli
