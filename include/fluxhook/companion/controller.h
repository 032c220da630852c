#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "fluxhook/base/note.h"
#include "fluxhook/base/result.h"
#include "fluxhook/companion/figures.h"
#include "fluxhook/companion/objects.h"
#include "fluxhook/flux/settings.h"
#include "fluxhook/kube/config.h"
#include "fluxhook/kube/time.h"

namespace fluxhook::companion {

/// How a controller is set up.
struct ControllerOptions {
  kube::Config config;
  std::string name_space;        ///< of the Lease and of the master key's Secret
  std::string name = "fluxhook"; ///< of the Lease
  std::string identity;          ///< this process among the replicas, unique; empty: host name and chance
  std::string label{flux::kInjectLabel}; ///< key of the label that selects a JobSet
  std::string cluster_domain = "cluster.local";
  std::optional<CurveSource> curve; ///< where keys come from; none: the Secret `key_secret`
  std::string key_secret = "fluxhook-curve-key";
  std::chrono::seconds lease_duration{15}; ///< after which another replica may lead; see kube/lease.h
  std::chrono::seconds renew_deadline{10}; ///< < lease_duration
  unsigned workers = 32;                   ///< JobSets seen to at once, each over a connection of its own

  std::function<void(const Note&)> log = [](const Note&) {}; ///< called from several threads at once

  // The clock, for tests.
  std::function<std::chrono::steady_clock::time_point()> now = std::chrono::steady_clock::now;
  kube::Sleep sleep = kube::sleep_for;
  std::chrono::milliseconds longest_wait{1000}; ///< real time between two looks at `now` when nothing happens
};

/// The controller of one replica. Of all replicas only the one that has the Lease works: it follows the
/// labelled JobSets of all namespaces, and their ConfigMaps, and creates what is missing. Nothing is kept
/// elsewhere than in the cluster, so the next leader just goes on. It runs until it is stopped, and whatever
/// the API server answers, or doesn't, it tries on.
class Controller {
public:
  /// Begins; asks nobody yet. Error: a configuration that can't be used.
  [[nodiscard]] static Result<std::unique_ptr<Controller>> start(ControllerOptions options);
  ~Controller(); ///< stops it
  /// Lets it end, in its own thread; returns at once, and needs nothing for it.
  void begin_stop();
  /// Ends within about a second, and releases the Lease if it has it. A second call does nothing.
  void stop();
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  /// What it has done so far; from any thread.
  [[nodiscard]] Figures figures() const;

private:
  struct Impl;
  explicit Controller(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

} // namespace fluxhook::companion
