#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "fluxhook/base/result.h"
#include "fluxhook/kube/config.h"
#include "fluxhook/kube/error.h"
#include "fluxhook/kube/object.h"
#include "fluxhook/kube/time.h"

namespace fluxhook::kube {

/// How a client behaves, whatever it asks for.
struct ClientOptions {
  std::string user_agent;                            ///< empty: fluxhook/VERSION
  std::chrono::milliseconds connect_timeout{10'000}; ///< to connect, and again for the TLS handshake
  std::chrono::milliseconds request_timeout{30'000}; ///< of silence, and of a whole answer; not of a watch
  std::chrono::milliseconds token_refresh{60'000};   ///< after which a token file is read again
  unsigned retries = 5;          ///< of a request that is answered with 429, or 5xx and Retry-After
  std::size_t most = 16U << 20U; ///< bytes of an answer, and of each object of a list or a watch
  Sleep sleep = sleep_for;
};

/// For create, update and patch.
struct WriteOptions {
  bool dry_run = false; ///< checked and admitted as ever, but not stored
  std::string field_manager = "fluxhook";
};

/// For remove.
struct DeleteOptions {
  std::string uid;              ///< a precondition, when it isn't empty: kConflict otherwise
  std::string resource_version; ///< likewise
  std::string propagation;      ///< "Background", "Foreground", "Orphan"; empty: the resource's default
};

/// For list.
struct ListOptions {
  std::string label_selector, field_selector;
  std::size_t page = 100;     ///< items a request; memory is that of one item, whatever it is
  bool metadata_only = false; ///< items are PartialObjectMetadata (meta.k8s.io/v1)
};

/// Where a list's items go, one by one.
struct ListSink {
  std::function<void(const Item&)> item;
  std::function<void()> restart; ///< the list was too old to be continued: forget all, it begins again
};

/// For watch.
struct WatchOptions {
  std::string label_selector, field_selector;
  std::string resource_version;    ///< where the list, or the watch before, ended
  std::chrono::seconds timeout{0}; ///< after which the server ends it; 0: a random one of 5 to 10 minutes
  bool metadata_only = false;      ///< as in ListOptions
};

/// What a watch says of an object (metav1.WatchEvent); an ERROR is watch()'s error.
enum class EventType : std::uint8_t { kAdded, kModified, kDeleted, kBookmark };

struct WatchEvent {
  EventType type = EventType::kAdded;
  Item item; ///< kBookmark: its resource_version only
};

/// A client of one API server, for one thread at a time. It keeps one connection alive and makes it again
/// when it broke. Each call takes a stop token that ends it within a moment (kStopped). A 401 is tried once
/// more with credentials that are read again. A 429, or a 5xx that says when to come back, is tried again
/// then, `retries` times. Redirects are refused.
class Client {
public:
  /// Connects to nobody yet. Error: a URL, certificate or key that can't be used.
  [[nodiscard]] static Result<std::unique_ptr<Client>> open(const Config& config, ClientOptions options = {});
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// The object, or whatever else is at a path (path_of), as JSON text.
  [[nodiscard]] ApiResult<std::string> get(const std::string& path, const std::stop_token& stop = {});

  /// Posts an object to its list's path; the object as it is stored.
  [[nodiscard]] ApiResult<std::string> create(const std::string& path, const std::string& object,
                                              const WriteOptions& options = {},
                                              const std::stop_token& stop = {});
  /// Replaces an object; its metadata.resourceVersion is the precondition.
  [[nodiscard]] ApiResult<std::string> update(const std::string& path, const std::string& object,
                                              const WriteOptions& options = {},
                                              const std::stop_token& stop = {});
  /// Sends a JSON Patch (RFC 6902) of an object; the object as it is stored. A `test` in it that fails is
  /// kInvalid.
  [[nodiscard]] ApiResult<std::string> patch(const std::string& path, const std::string& patch,
                                             const WriteOptions& options = {},
                                             const std::stop_token& stop = {});
  /// Deletes an object. Error: kNotFound, or kConflict where a precondition does not hold.
  [[nodiscard]] ApiResult<void> remove(const std::string& path, const DeleteOptions& options = {},
                                       const std::stop_token& stop = {});

  /// Lists page by page. Returns the resourceVersion to watch from. An item that was handed over and an error
  /// behind it are possible; a list that expires on the way (410) is begun again, three times at most.
  [[nodiscard]] ApiResult<std::string> list(const std::string& path, const ListOptions& options,
                                            const ListSink& sink, const std::stop_token& stop = {});

  /// Watches until the server ends it, which is no error. Bookmarks are asked for. Error: kGone: list again;
  /// an ERROR event; a connection that broke, also within an event.
  [[nodiscard]] ApiResult<void> watch(const std::string& path, const WatchOptions& options,
                                      const std::function<void(const WatchEvent&)>& event,
                                      const std::stop_token& stop = {});

  [[nodiscard]] const Config& config() const;
  [[nodiscard]] const ClientOptions& options() const;

private:
  struct Impl;
  explicit Client(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

} // namespace fluxhook::kube
