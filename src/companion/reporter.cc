#include "companion/reporter.h"

#include <format>

namespace fluxhook::companion {

namespace {

constexpr std::chrono::minutes kAgain{10}; ///< a fault that lasts is said again
constexpr std::size_t kMostEvents = 256;   ///< that wait to be sent; more are dropped

std::string name_of(const Task& task) { return task.name_space + "/" + task.name; }

} // namespace

void FaultLog::fault(const std::string& key, std::string message,
                     std::vector<std::pair<std::string, std::string>> fields, Note::Level level) {
  {
    const std::scoped_lock lock(mutex_);
    const auto [found, added] = said_.try_emplace(key, options_.now());
    if (!added && options_.now() - found->second < kAgain) return;
    found->second = options_.now();
  }
  say(level, std::move(message), std::move(fields));
}

void FaultLog::over(const std::string& prefix) {
  const std::scoped_lock lock(mutex_);
  for (auto at = said_.lower_bound(prefix); at != said_.end() && at->first.starts_with(prefix);)
    at = said_.erase(at);
}

void Reporter::report(const Task& task, const Outcome& outcome) {
  const Fault fault = outcome.ending.fault;
  if (outcome.config_maps + outcome.secrets != 0) {
    log_.over("task/");
    log_.say(Note::Level::kInfo, "companions created",
             {{"jobset", name_of(task)},
              {"uid", task.uid},
              {"configmap", std::to_string(outcome.config_maps)},
              {"secret", std::to_string(outcome.secrets)}});
  }
  if (fault == Fault::kNone || outcome.expected) return;
  const std::string reason(to_string(fault));
  if (is_everybodys(fault)) {
    log_.fault("task/" + reason, "companions can't be created now",
               {{"reason", reason}, {"jobset", name_of(task)}, {"error", outcome.what}});
  } else if (fault != task.fault) {
    log_.say(Note::Level::kWarn, "companions can't be created",
             {{"jobset", name_of(task)}, {"reason", reason}, {"error", outcome.what}});
  }
  if (!event_reason(fault).empty()) queue_event(task, fault, outcome.note);
}

bool Reporter::report_no_key(const Task& task, const std::string& why) {
  return queue_event(task, Fault::kNoMasterKey,
                     "the pods wait for their ConfigMap and Secret, and those for fluxhook's master key: " +
                         why);
}

/// Whether there was room for it.
bool Reporter::queue_event(const Task& task, Fault fault, const std::string& message) {
  const std::scoped_lock lock(mutex_);
  if (events_.size() == kMostEvents) return false;
  events_.push_back({.reason = std::string(event_reason(fault)),
                     .action = "CreateCompanions",
                     .message = message,
                     .api_version = "jobset.x-k8s.io/v1alpha2",
                     .kind = "JobSet",
                     .name_space = task.name_space,
                     .name = task.name,
                     .uid = task.uid});
  changed_.notify_one();
  return true;
}

void Reporter::send_events(kube::Client& client, const std::stop_token& stop) {
  kube::EventsOptions event_options;
  event_options.instance = options_.identity;
  event_options.now = options_.now;
  kube::Events events(client, std::move(event_options));
  while (!stop.stop_requested()) {
    kube::ObjectEvent event;
    {
      std::unique_lock lock(mutex_);
      if (!changed_.wait(lock, stop, [&] { return !events_.empty(); })) return;
      event = std::move(events_.front());
      events_.pop_front();
    }
    const auto sent = events.send(event, stop);
    if (sent) log_.over("event");
    else if (sent.error().kind != kube::ErrorKind::kStopped)
      log_.fault("event", "an Event can't be created", {{"error", sent.error().text()}});
  }
}

} // namespace fluxhook::companion
