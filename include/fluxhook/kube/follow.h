#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>

#include "fluxhook/kube/client.h"
#include "fluxhook/kube/error.h"
#include "fluxhook/kube/object.h"

namespace fluxhook::kube {

/// What happened to an object.
enum class Change : std::uint8_t { kAdded, kModified, kDeleted };

/// Who is told of changes. All are called from follow()'s own thread, which reads on when they return: what
/// takes long is for another thread.
struct FollowHandler {
  /// An object is there, is another one than before, or is gone. kDeleted: its last state, or no text at all
  /// when nobody saw it go. A name that has a new uid is deleted and added.
  std::function<void(Change, const Item&)> change;
  /// All objects have been told: after each list.
  std::function<void()> synced = [] {};
  /// Something failed, and is tried again in that time.
  std::function<void(const ApiError&, std::chrono::milliseconds)> trouble = [](const auto&, auto) {};
};

/// What of a list is followed, and how.
struct FollowOptions {
  std::string label_selector, field_selector;
  std::size_t page = 100;                ///< items a request of a list
  std::chrono::seconds watch_timeout{0}; ///< 0: random, 5 to 10 minutes
  bool metadata_only = false;            ///< as in ListOptions
};

/// Keeps a handler up to date about the objects at a list's path: lists, then watches from there, again and
/// again, until it is stopped. After a fault it waits 0.8 s, twice as long each time up to 30 s, and by
/// chance up to twice that (client-go tools/cache/reflector.go), until something comes again. It lists again
/// when the watch's version is too old (410), or when it can't be watched from three times in a row. Of each
/// object it keeps names, uid and version, about 200 bytes.
void follow(Client& client, const std::string& path, const FollowOptions& options,
            const FollowHandler& handler, const std::stop_token& stop);

} // namespace fluxhook::kube
