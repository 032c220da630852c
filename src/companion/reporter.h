#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <stop_token>
#include <string>

#include "companion/ledger.h"
#include "companion/maker.h"
#include "fluxhook/companion/controller.h"
#include "fluxhook/kube/client.h"
#include "fluxhook/kube/events.h"

namespace fluxhook::companion {

/// Says a fault once, not at each of its retries: again when it had gone, or after ten minutes. Thread-safe.
class FaultLog {
public:
  explicit FaultLog(const ControllerOptions& options) : options_(options) {}

  void say(Note::Level level, std::string message,
           std::vector<std::pair<std::string, std::string>> fields = {}) const {
    options_.log({level, std::move(message), std::move(fields)});
  }
  /// A fault called `key`.
  void fault(const std::string& key, std::string message,
             std::vector<std::pair<std::string, std::string>> fields, Note::Level level = Note::Level::kWarn);
  /// The faults whose keys begin with this are over.
  void over(const std::string& prefix);

private:
  const ControllerOptions& options_;
  std::mutex mutex_;
  std::map<std::string, Time> said_;
};

/// Tells of what became of tasks: the log, and Events on the JobSets, which a thread of their own sends.
class Reporter {
public:
  Reporter(const ControllerOptions& options, FaultLog& log) : options_(options), log_(log) {}

  void report(const Task& task, const Outcome& outcome);
  /// An Event on a JobSet whose companions wait for the master key; false: too many are on their way.
  [[nodiscard]] bool report_no_key(const Task& task, const std::string& why);
  /// Sends Events until it is stopped.
  void send_events(kube::Client& client, const std::stop_token& stop);

private:
  bool queue_event(const Task& task, Fault fault, const std::string& message);

  const ControllerOptions& options_;
  FaultLog& log_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<kube::ObjectEvent> events_;
};

} // namespace fluxhook::companion
