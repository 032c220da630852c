#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "companion/cluster.h"
#include "fluxhook/companion/controller.h"

namespace fluxhook::companion::test {

/// A clock that goes a hundred times as fast as the real one, and the sleep that goes with it.
class FastClock {
public:
  static constexpr int kTimes = 100;

  [[nodiscard]] std::chrono::steady_clock::time_point now() const {
    return start_ + (std::chrono::steady_clock::now() - start_) * kTimes;
  }
  static bool sleep(std::chrono::milliseconds time, const std::stop_token& stop) {
    return kube::sleep_for(std::chrono::ceil<std::chrono::milliseconds>(time / kTimes), stop);
  }

private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

struct How {
  unsigned workers = 1;
  bool key_from_secret = false;
  /// A Lease is over after 15 s of this clock. Otherwise after 15 real ones: no busy machine takes it away.
  bool short_lease = false;
};

/// A controller that runs against a cluster, and what it logged.
class Running {
public:
  explicit Running(const Cluster& cluster, const std::string& token = "one", How how = {})
      : Running(cluster.config(token), token, how) {}
  Running(kube::Config config, const std::string& identity, How how) {
    ControllerOptions options{.config = std::move(config)};
    options.name_space = "flux";
    options.identity = identity;
    options.workers = how.workers;
    if (!how.short_lease) {
      options.lease_duration *= FastClock::kTimes;
      options.renew_deadline *= FastClock::kTimes;
    }
    if (!how.key_from_secret) options.curve.emplace().from_uid = true;
    options.now = [this] { return clock_.now(); };
    options.sleep = FastClock::sleep;
    options.longest_wait = std::chrono::milliseconds(2);
    options.log = [this](const Note& note) {
      const std::scoped_lock lock(mutex_);
      std::string& line = lines_.emplace_back(note.message);
      for (const auto& [key, value] : note.fields)
        line.append(" ").append(key).append("=").append(value);
    };
    controller_ = Controller::start(std::move(options)).value();
  }

  [[nodiscard]] Figures figures() const { return controller_->figures(); }
  void stop() { controller_.reset(); }
  [[nodiscard]] std::size_t lines(const std::string& with) const {
    const std::scoped_lock lock(mutex_);
    std::size_t count = 0;
    for (const std::string& line : lines_)
      count += std::size_t{line.contains(with)};
    return count;
  }

private:
  FastClock clock_;
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
  std::unique_ptr<Controller> controller_;
};

} // namespace fluxhook::companion::test
