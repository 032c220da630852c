#include "fluxhook/kube/follow.h"

#include "fluxhook/kube/backoff.h"
#include "kube/known.h"

namespace fluxhook::kube {

namespace {

/// One path's list and watches.
class Follower {
public:
  Follower(Client& client, const std::string& path, const FollowOptions& options,
           const FollowHandler& handler, const std::stop_token& stop)
      : client_(client), path_(path), options_(options), handler_(handler), stop_(stop),
        known_(handler.change) {}

  void run() {
    while (!stop_.stop_requested()) {
      const bool done = version_.empty() ? list() : watch();
      if (!done) return;
    }
  }

private:
  // Both: false when stopped.
  bool list();
  bool watch();
  bool wait(const ApiError& error);

  Client& client_;
  const std::string& path_;
  const FollowOptions& options_;
  const FollowHandler& handler_;
  const std::stop_token& stop_;
  Known known_;
  Backoff backoff_;
  std::string version_; ///< to watch from; empty: it has to be listed
  int failures_ = 0;    ///< of watches, one after another, that said nothing
};

bool Follower::wait(const ApiError& error) {
  if (error.kind == ErrorKind::kStopped) return false;
  std::chrono::milliseconds time = backoff_.next();
  if (error.retry_after && *error.retry_after > time) time = *error.retry_after;
  handler_.trouble(error, time);
  return client_.options().sleep(time, stop_);
}

bool Follower::list() {
  known_.begin_list();
  const ListSink sink{.item = [&](const Item& item) { known_.listed(item); },
                      .restart = [&] { known_.begin_list(); }};
  const ListOptions options{options_.label_selector, options_.field_selector, options_.page,
                            options_.metadata_only};
  auto version = client_.list(path_, options, sink, stop_);
  if (!version) return wait(version.error());
  if (version->empty())
    return wait({ErrorKind::kMalformed, path_, "the list has no resourceVersion to watch from"});
  version_ = std::move(*version);
  failures_ = 0;
  known_.end_list();
  handler_.synced();
  return true;
}

bool Follower::watch() {
  bool heard = false;
  const auto take = [&](const WatchEvent& event) {
    heard = true;
    known_.take(event);
    if (!event.item.meta.resource_version.empty()) version_ = event.item.meta.resource_version;
  };
  const WatchOptions options{options_.label_selector, options_.field_selector, version_,
                             options_.watch_timeout, options_.metadata_only};
  const auto watched = client_.watch(path_, options, take, stop_);
  if (heard) backoff_.reset();
  failures_ = heard || watched ? 0 : failures_ + 1;
  if (watched && heard) return true;
  if (watched) return wait({ErrorKind::kUnreachable, path_, "the watch ended and had said nothing"});
  constexpr int kPatience = 3; // a version of the future, after etcd was restored, is never good again
  const bool again =
      watched.error().kind == ErrorKind::kGone || watched.error().kind == ErrorKind::kMalformed;
  if (again || failures_ >= kPatience) version_.clear();
  if (again && heard && watched.error().kind == ErrorKind::kGone) return true;
  return wait(watched.error());
}

} // namespace

void follow(Client& client, const std::string& path, const FollowOptions& options,
            const FollowHandler& handler, const std::stop_token& stop) {
  Follower(client, path, options, handler, stop).run();
}

} // namespace fluxhook::kube
