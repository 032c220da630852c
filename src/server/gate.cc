#include "server/gate.h"

#include <algorithm>

namespace fluxhook::server {

namespace {

/// What a decision takes grows with the review; below this it does not matter.
constexpr std::size_t kSmall = 4096;

} // namespace

Clock::duration Gate::expected(std::size_t bytes) const {
  const double nanoseconds = per_byte_ * static_cast<double>(std::max(bytes, kSmall));
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double, std::nano>(nanoseconds));
}

Gate::Entry Gate::enter(Guest* guest, std::size_t bytes, Clock::time_point now, Clock::time_point deadline) {
  const std::scoped_lock lock(mutex_);
  if (inside_ < limit_) { // then nobody waits whose time is not up
    ++inside_;
    metrics_.review_queued({});
    return Entry::kGo;
  }
  bytes = std::max(bytes, kSmall);
  if (bytes_ > 0 && now + expected((waiting_bytes_ + bytes) / limit_) > deadline) {
    metrics_.review_shed();
    return Entry::kShed;
  }
  waiting_.emplace(deadline, Waiting{guest, bytes, now});
  waiting_bytes_ += bytes;
  return Entry::kWait;
}

Gate::Waiting Gate::take(Queue::iterator one, Clock::time_point now) {
  const Waiting waited = one->second;
  waiting_.erase(one);
  waiting_bytes_ -= waited.bytes;
  metrics_.review_queued(now - waited.since);
  return waited;
}

Guest* Gate::leave(Clock::time_point now, Clock::duration took, std::size_t bytes) {
  const std::scoped_lock lock(mutex_);
  constexpr double kWeight = 1.0 / 8;
  took_ += (static_cast<double>(std::chrono::nanoseconds(took).count()) - took_) * kWeight;
  bytes_ += (static_cast<double>(std::max(bytes, kSmall)) - bytes_) * kWeight;
  per_byte_ = took_ / bytes_;
  const auto next = waiting_.lower_bound(now); // the late ones are expired()'s
  if (next == waiting_.end()) {
    --inside_;
    return nullptr;
  }
  return take(next, now).guest;
}

std::vector<Guest*> Gate::expired(Clock::time_point now) {
  const std::scoped_lock lock(mutex_);
  std::vector<Guest*> late;
  while (!waiting_.empty() && waiting_.begin()->first <= now) {
    late.push_back(take(waiting_.begin(), now).guest);
    metrics_.review_shed();
  }
  return late;
}

std::optional<Clock::time_point> Gate::next_deadline() {
  const std::scoped_lock lock(mutex_);
  if (waiting_.empty()) return std::nullopt;
  return waiting_.begin()->first;
}

} // namespace fluxhook::server
