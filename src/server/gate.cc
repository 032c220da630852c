#include "server/gate.h"

namespace fluxhook::server {

Gate::Entry Gate::enter(Guest* guest, Clock::time_point now, Clock::time_point deadline) {
  const std::scoped_lock lock(mutex_);
  if (inside_ < limit_) { // then nobody waits whose time is not up
    ++inside_;
    metrics_.review_queued({});
    return Entry::kGo;
  }
  const auto rounds = static_cast<Clock::rep>(1 + waiting_.size() / limit_);
  if (now + rounds * usual_ > deadline) {
    metrics_.review_shed();
    return Entry::kShed;
  }
  waiting_.emplace(deadline, Waiting{guest, now});
  return Entry::kWait;
}

Guest* Gate::leave(Clock::time_point now, Clock::duration took) {
  const std::scoped_lock lock(mutex_);
  usual_ += (took - usual_) / 8;
  slow_ = usual_ >= std::chrono::milliseconds(1);
  const auto next = waiting_.lower_bound(now); // the late ones are expired()'s
  if (next == waiting_.end()) {
    --inside_;
    return nullptr;
  }
  const Waiting waited = next->second;
  waiting_.erase(next);
  metrics_.review_queued(now - waited.since);
  return waited.guest;
}

std::vector<Guest*> Gate::expired(Clock::time_point now) {
  const std::scoped_lock lock(mutex_);
  std::vector<Guest*> late;
  while (!waiting_.empty() && waiting_.begin()->first <= now) {
    late.push_back(waiting_.begin()->second.guest);
    metrics_.review_queued(now - waiting_.begin()->second.since);
    metrics_.review_shed();
    waiting_.erase(waiting_.begin());
  }
  return late;
}

std::optional<Clock::time_point> Gate::next_deadline() {
  const std::scoped_lock lock(mutex_);
  if (waiting_.empty()) return std::nullopt;
  return waiting_.begin()->first;
}

} // namespace fluxhook::server
