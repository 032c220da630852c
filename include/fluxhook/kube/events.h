#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <list>
#include <stop_token>
#include <string>
#include <unordered_set>
#include <utility>

#include "fluxhook/kube/client.h"
#include "fluxhook/kube/error.h"

namespace fluxhook::kube {

/// A warning, as `kubectl describe` shows it.
struct ObjectEvent {
  std::string reason;  ///< one word in CamelCase, at most 128 bytes
  std::string action;  ///< what was tried, likewise
  std::string message; ///< cut to 1024 bytes, the most that the API takes

  // The object that it is about.
  std::string api_version, kind;
  std::string name_space, name, uid; ///< a namespace is needed: the Event is in it
};

/// Who sends Events, and how often the same one.
struct EventsOptions {
  std::string controller = "flux-framework.org/fluxhook"; ///< reportingController
  std::string instance;                                   ///< reportingInstance: the pod's name
  std::chrono::seconds quiet{600}; ///< the same event about the same object is not sent again for so long
  std::size_t remembered = 1024;   ///< events that are remembered for that
  std::function<std::chrono::steady_clock::time_point()> now = std::chrono::steady_clock::now;
  std::function<std::chrono::system_clock::time_point()> time = std::chrono::system_clock::now;
};

/// Sends Events (events.k8s.io/v1). For one thread.
class Events {
public:
  /// `client` has to outlive it.
  Events(Client& client, EventsOptions options) : client_(client), options_(std::move(options)) {}

  /// Creates the Event, unless the same one was sent a while ago (false). One that could not be sent may be
  /// tried again at once.
  [[nodiscard]] ApiResult<bool> send(const ObjectEvent& event, const std::stop_token& stop = {});

private:
  struct Sent {
    std::string key;
    std::chrono::steady_clock::time_point at;
  };
  [[nodiscard]] bool was_sent(const std::string& key);
  void remember(const std::string& key);

  Client& client_;
  EventsOptions options_;
  std::list<Sent> sent_; ///< the latest first
  std::unordered_set<std::string> keys_;
};

} // namespace fluxhook::kube
