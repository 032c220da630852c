#include "companion/ledger.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace fluxhook::companion {

void Ledger::enqueue(Entries::value_type& slot, Time due) {
  slot.second.due = due;
  slot.second.state = State::kWaiting;
  queue_.insert(&slot);
}

void Ledger::dequeue(Entries::value_type& slot) {
  queue_.erase(&slot);
  slot.second.state = State::kIdle;
}

void Ledger::forget_if_empty(const std::string& key) {
  const auto found = entries_.find(key);
  if (found == entries_.end() || !found->second.uid.empty() || !found->second.map.uid.empty()) return;
  if (found->second.state != State::kBusy) entries_.erase(found);
}

void Ledger::jobset(const std::string& key, const std::string& uid, bool needed, Time now) {
  if (!needed) return jobset_gone(key);
  auto& slot = *entries_.try_emplace(key).first;
  Entry& entry = slot.second;
  if (entry.uid == uid && entry.state == State::kWaiting && entry.fault == Fault::kUnreadable) {
    dequeue(slot); // somebody may have mended the annotation
    return enqueue(slot, now);
  }
  if (entry.uid == uid) return;
  if (const auto busy = busy_.find(key); busy != busy_.end()) busy->second.changed = true;
  if (entry.state == State::kWaiting) dequeue(slot);
  const State before = entry.state;
  entry = Entry{.uid = uid, .map = std::move(entry.map), .due = now, .since = now};
  if (before == State::kBusy) entry.state = State::kBusy; // its taker's finish() will see to it
  else if (has_map(entry)) entry.state = State::kDone;
  else enqueue(slot, now);
  entry.was_done = has_map(entry);
}

void Ledger::jobset_gone(const std::string& key) {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return;
  if (found->second.state == State::kWaiting) dequeue(*found);
  if (found->second.state == State::kDone) found->second.state = State::kIdle;
  found->second.uid.clear();
  forget_if_empty(key);
}

void Ledger::map(const std::string& key, MapFact fact) {
  auto& slot = *entries_.try_emplace(key).first;
  Entry& entry = slot.second;
  entry.map = std::move(fact);
  if (entry.state != State::kWaiting || !has_map(entry) || entry.secret_pending) return;
  dequeue(slot); // somebody else made it: the leader before us
  entry.state = State::kDone;
}

void Ledger::map_gone(const std::string& key, const std::string& uid, Time now) {
  if (const auto busy = busy_.find(key); busy != busy_.end()) busy->second.maps_gone.push_back(uid);
  const auto found = entries_.find(key);
  if (found == entries_.end() || found->second.map.uid != uid) return;
  Entry& entry = found->second;
  const bool was_ours = has_map(entry);
  entry.map = {};
  if (was_ours && entry.state == State::kDone) {
    entry.secret.settled = true; // the Secret was seen to before the ConfigMap
    entry.tries = 0;
    enqueue(*found, now);
  } else if (entry.state == State::kWaiting && !was_ours) {
    dequeue(*found); // what stood in the way is gone
    entry.tries = 0;
    enqueue(*found, now);
  }
  forget_if_empty(key);
}

Task Ledger::task_of(const Entries::value_type& slot) {
  const auto& [key, entry] = slot;
  const std::size_t slash = key.find('/');
  return Task{.name_space = key.substr(0, slash),
              .name = key.substr(slash + 1),
              .uid = entry.uid,
              .map = entry.map,
              .secret = entry.secret,
              .tries = entry.tries,
              .fault = entry.fault,
              .secret_pending = entry.secret_pending};
}

std::optional<Task> Ledger::take(Time now) {
  if (queue_.empty() || (*queue_.begin())->second.due > now) return {};
  auto& slot = **queue_.begin();
  queue_.erase(queue_.begin());
  slot.second.state = State::kBusy;
  busy_.try_emplace(slot.first);
  return task_of(slot);
}

std::vector<Task> Ledger::queued() const {
  std::vector<Task> tasks;
  std::ranges::transform(queue_, std::back_inserter(tasks), [](const auto* slot) { return task_of(*slot); });
  return tasks;
}

std::optional<Time> Ledger::next_due() const {
  if (queue_.empty()) return {};
  return (*queue_.begin())->second.due;
}

bool Ledger::is_waiting(const std::string& key) const {
  const auto found = entries_.find(key);
  return found != entries_.end() && found->second.state == State::kWaiting;
}

void Ledger::settle(Entries::value_type& slot, const Ending& ending, Time now) {
  Entry& entry = slot.second;
  entry.secret = ending.secret;
  entry.fault = ending.fault;
  entry.secret_pending = ending.secret_pending;
  if (ending.not_needed) {
    entry.uid.clear(); // until the watch says something else
  } else if (ending.again) {
    if (entry.tries < std::numeric_limits<std::uint16_t>::max()) ++entry.tries;
    enqueue(slot, now + *ending.again);
  } else if (!ending.map.uid.empty() && !has_map(entry)) {
    enqueue(slot, now); // made, and deleted before we came to say so
  } else {
    entry.tries = 0;
    entry.state = State::kDone;
  }
}

std::optional<std::chrono::steady_clock::duration> Ledger::finish(const Task& task, const Ending& ending,
                                                                  Time now) {
  const std::string key = task.name_space + "/" + task.name;
  const auto taken = busy_.extract(key);
  const auto found = entries_.find(key);
  if (taken.empty() || found == entries_.end() || found->second.state != State::kBusy) return {};
  Entry& entry = found->second;
  entry.state = State::kIdle;
  if (!ending.map.uid.empty() && !std::ranges::contains(taken.mapped().maps_gone, ending.map.uid))
    entry.map = ending.map;
  const bool stale = taken.mapped().changed && (ending.not_needed || entry.uid != task.uid);
  if (stale && !entry.uid.empty() && !has_map(entry)) enqueue(*found, now);
  else if (stale && !entry.uid.empty()) entry.state = State::kDone;
  else if (!stale && !entry.uid.empty()) settle(*found, ending, now);
  const bool first = !entry.uid.empty() && has_map(entry) && !std::exchange(entry.was_done, true);
  const auto took = now - entry.since;
  forget_if_empty(key);
  if (!first) return {};
  return took;
}

} // namespace fluxhook::companion
