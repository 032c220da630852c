#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "companion/ledger.h"
#include "fluxhook/companion/objects.h"
#include "fluxhook/kube/client.h"

namespace fluxhook::companion {

/// A Secret's name that is taken: until then the pods wait for it to become free (an earlier JobSet's goes
/// with the garbage collector, within seconds).
inline constexpr std::chrono::seconds kWaitForSecret{20};
/// And then it is tried on for so long while the pods may start.
inline constexpr std::chrono::minutes kTrySecret{10};

/// What a ConfigMap's metadata says about it: JSON of the object, or of its metadata alone.
[[nodiscard]] MapFact map_fact(const kube::Item& item);

/// What became of a task.
struct Outcome {
  Ending ending;
  bool stopped = false;  ///< by the stop token: nothing is known
  std::string what;      ///< the fault's line
  std::string note;      ///< the same for an Event, whose readers know no URL of an API server
  bool expected = false; ///< a fault that is likely to mend itself: nobody needs to hear of it
  unsigned config_maps = 0, secrets = 0; ///< created
};

/// Makes one JobSet's companions: reads it, unless it comes with the task, then creates what it lacks, the
/// Secret first. It keeps nothing between tasks. For one thread.
class Maker {
public:
  /// `client` and `curve` have to outlive it. `chance`: random numbers from 0 to 1.
  Maker(kube::Client& client, const CurveSource& curve, std::string cluster_domain,
        std::function<double()> chance)
      : client_(client), curve_(curve), cluster_domain_(std::move(cluster_domain)),
        chance_(std::move(chance)) {}

  [[nodiscard]] Outcome make(const Task& task, Time now, const std::stop_token& stop);

private:
  struct Work;
  bool make_secret(Work& work);
  bool refused_secret(Work& work);
  void make_map(Work& work);
  [[nodiscard]] std::optional<MapFact> find_map(Work& work);
  bool remove_map(Work& work, const MapFact& earlier);
  void fail(Work& work, const kube::ApiError& error);
  void fail(Work& work, Fault fault, std::string what, std::optional<std::chrono::seconds> retry_after = {});

  kube::Client& client_;
  const CurveSource& curve_;
  std::string cluster_domain_;
  std::function<double()> chance_;
};

} // namespace fluxhook::companion
