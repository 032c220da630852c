#include "companion/desk.h"

#include <algorithm>
#include <utility>

namespace fluxhook::companion {

void Counters::count(const Outcome& outcome) {
  const std::scoped_lock lock(mutex_);
  figures_.config_maps += outcome.config_maps;
  figures_.secrets += outcome.secrets;
  if (outcome.ending.fault != Fault::kNone) ++errors_.at(std::to_underlying(outcome.ending.fault));
}

void Counters::count(Fault fault) {
  const std::scoped_lock lock(mutex_);
  ++errors_.at(std::to_underlying(fault));
}

void Counters::latency(std::chrono::steady_clock::duration took) {
  const double seconds = std::chrono::duration<double>(took).count();
  const auto bucket =
      static_cast<std::size_t>(std::ranges::lower_bound(kLatencyBounds, seconds) - kLatencyBounds.begin());
  const std::scoped_lock lock(mutex_);
  ++figures_.latency.at(bucket);
  figures_.latency_sum += seconds;
}

void Counters::watch_fault() {
  const std::scoped_lock lock(mutex_);
  ++figures_.watch_faults;
}

void Counters::leader(bool is) {
  const std::scoped_lock lock(mutex_);
  figures_.leader = is;
}

Figures Counters::figures() const {
  const std::scoped_lock lock(mutex_);
  Figures figures = figures_;
  for (std::size_t i = 1; i < errors_.size(); ++i)
    figures.errors.emplace_back(to_string(static_cast<Fault>(i)), errors_.at(i));
  return figures;
}

void Desk::jobset(const std::string& key, const std::string& uid, bool needed, std::string_view json) {
  const std::scoped_lock lock(mutex_);
  const Time now = now_();
  ledger_.jobset(key, uid, needed, now);
  if (ledger_.is_waiting(key)) fresh_.put(key, json, now);
  else fresh_.drop(key);
  ++version_;
  changed_.notify_one();
}

void Desk::jobset_gone(const std::string& key) {
  const std::scoped_lock lock(mutex_);
  ledger_.jobset_gone(key);
  fresh_.drop(key);
}

void Desk::map(const std::string& key, MapFact fact) {
  const std::scoped_lock lock(mutex_);
  ledger_.map(key, std::move(fact));
  if (!ledger_.is_waiting(key)) fresh_.drop(key);
}

void Desk::map_gone(const std::string& key, const std::string& uid) {
  const std::scoped_lock lock(mutex_);
  ledger_.map_gone(key, uid, now_());
  ++version_;
  changed_.notify_one();
}

void Desk::jobsets_listed() {
  const std::scoped_lock lock(mutex_);
  jobsets_listed_ = true;
  ++version_;
  changed_.notify_all();
}

void Desk::maps_listed() {
  const std::scoped_lock lock(mutex_);
  maps_listed_ = true;
  ++version_;
  changed_.notify_all();
}

std::optional<Task> Desk::take(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    auto wait = longest_wait_;
    if (jobsets_listed_ && maps_listed_) {
      const Time now = now_();
      if (auto task = ledger_.take(now)) {
        task->jobset = fresh_.take(task->name_space + "/" + task->name, now);
        return task;
      }
      if (const auto due = ledger_.next_due())
        wait = std::min(wait, std::chrono::ceil<std::chrono::milliseconds>(*due - now));
    }
    const auto seen = version_;
    changed_.wait_for(lock, stop, wait, [&] { return version_ != seen; });
  }
  return {};
}

void Desk::finish(const Task& task, const Ending& ending) {
  const std::scoped_lock lock(mutex_);
  const auto took = ledger_.finish(task, ending, now_());
  if (took) counters_.latency(*took);
  ++version_;
  changed_.notify_one();
}

std::vector<Task> Desk::queued() const {
  const std::scoped_lock lock(mutex_);
  return ledger_.queued();
}

std::size_t Desk::waiting() const {
  const std::scoped_lock lock(mutex_);
  return ledger_.waiting();
}

} // namespace fluxhook::companion
