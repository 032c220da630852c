#pragma once

#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <thread>

#include "companion/desk.h"
#include "companion/reporter.h"
#include "fluxhook/companion/controller.h"
#include "fluxhook/kube/client.h"
#include "fluxhook/kube/follow.h"

namespace fluxhook::companion {

/// One time as leader: the watches, the workers and what they share. It begins with the constructor and ends
/// with the destructor.
class Leading {
public:
  Leading(const ControllerOptions& options, Counters& counters, FaultLog& log);

  [[nodiscard]] std::size_t waiting() const { return desk_.waiting(); }

private:
  void run(const std::stop_token& stop);
  bool get_curve(const std::stop_token& stop);
  void tell_waiting(const std::string& why);
  void follow_jobsets(const std::stop_token& stop);
  void follow_maps(const std::stop_token& stop);
  void work(const std::stop_token& stop);
  void send_events(const std::stop_token& stop);
  /// Follows a list until it is stopped.
  void follow(const kube::Resource& resource, const kube::FollowOptions& options, kube::FollowHandler handler,
              const std::stop_token& stop);
  [[nodiscard]] std::unique_ptr<kube::Client> open_client() const;

  const ControllerOptions& options_;
  Counters& counters_;
  FaultLog& log_;
  Desk desk_;
  Reporter reporter_;
  CurveSource curve_;
  std::set<std::string> told_; ///< uids of the JobSets whose owners know that there is no key
  std::jthread thread_;        ///< last: it uses all of the above
};

} // namespace fluxhook::companion
