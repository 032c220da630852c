#include "fluxhook/kube/client.h"

#include <format>
#include <random>

#include "kube/answers.h"
#include "kube/json.h"
#include "kube/requests.h"

namespace fluxhook::kube {

namespace {

/// What to accept of a list or a watch; a server that has no metadata alone gives the objects.
std::string accepted(bool metadata_only, std::string_view kind) {
  if (!metadata_only) return "application/json";
  return std::format("application/json;as={};g=meta.k8s.io;v=v1,application/json", kind);
}

} // namespace

struct Client::Impl {
  Impl(const Config& config, ClientOptions options) : requests(config, std::move(options)) {}
  Requests requests;
  std::minstd_rand random{std::random_device{}()};

  [[nodiscard]] Exchange exchange(std::string method, std::string path) const {
    const auto timeout = requests.options().request_timeout;
    return {.method = std::move(method), .path = std::move(path), .silence = timeout, .total = timeout};
  }
  [[nodiscard]] ApiResult<std::string> write(std::string method, const std::string& path, std::string type,
                                             const std::string& body, const WriteOptions& options,
                                             const std::stop_token& stop) {
    Exchange request = exchange(std::move(method), path + query({{"dryRun", options.dry_run ? "All" : ""},
                                                                 {"fieldManager", options.field_manager}}));
    request.content_type = std::move(type);
    request.body = body;
    return requests.send(request, stop);
  }
  /// Sends it and feeds a PageReader or an EventReader. Error: also what the reader refuses.
  template <class Reader>
  [[nodiscard]] ApiResult<void> read(const Exchange& exchange, Reader& reader, const std::stop_token& stop);
  [[nodiscard]] ApiResult<std::string> list_page(const std::string& path, const ListOptions& options,
                                                 const std::string& from, const ListSink& sink,
                                                 const std::stop_token& stop, std::string& version);
};

Client::Client(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Client::~Client() = default;
const Config& Client::config() const { return impl_->requests.config(); }
const ClientOptions& Client::options() const { return impl_->requests.options(); }

Result<std::unique_ptr<Client>> Client::open(const Config& config, ClientOptions options) {
  auto impl = std::make_unique<Impl>(config, std::move(options));
  const Identity identity{"", config.client_certificate, config.client_key};
  if (auto connected = impl->requests.connect(identity); !connected)
    return std::unexpected(connected.error());
  return std::unique_ptr<Client>(new Client(std::move(impl)));
}

ApiResult<std::string> Client::get(const std::string& path, const std::stop_token& stop) {
  return impl_->requests.send(impl_->exchange("GET", path), stop);
}

ApiResult<std::string> Client::create(const std::string& path, const std::string& object,
                                      const WriteOptions& options, const std::stop_token& stop) {
  return impl_->write("POST", path, "application/json", object, options, stop);
}

ApiResult<std::string> Client::update(const std::string& path, const std::string& object,
                                      const WriteOptions& options, const std::stop_token& stop) {
  return impl_->write("PUT", path, "application/json", object, options, stop);
}

ApiResult<std::string> Client::patch(const std::string& path, const std::string& patch,
                                     const WriteOptions& options, const std::stop_token& stop) {
  return impl_->write("PATCH", path, "application/json-patch+json", patch, options, stop);
}

ApiResult<void> Client::remove(const std::string& path, const DeleteOptions& options,
                               const std::stop_token& stop) {
  json body{{"apiVersion", "v1"}, {"kind", "DeleteOptions"}};
  if (!options.uid.empty()) body["preconditions"]["uid"] = options.uid;
  if (!options.resource_version.empty()) body["preconditions"]["resourceVersion"] = options.resource_version;
  if (!options.propagation.empty()) body["propagationPolicy"] = options.propagation;
  Exchange request = impl_->exchange("DELETE", path);
  request.content_type = "application/json";
  request.body = to_text(body);
  auto sent = impl_->requests.send(request, stop);
  if (!sent) return std::unexpected(std::move(sent.error()));
  return {};
}

template <class Reader>
ApiResult<void> Client::Impl::read(const Exchange& exchange, Reader& reader, const std::stop_token& stop) {
  Result<void> taken;
  const Receiver receiver = [&](std::string_view bytes) {
    taken = reader.feed(bytes);
    return taken.has_value();
  };
  auto sent = requests.send(exchange, receiver, stop);
  if (!taken)
    return std::unexpected(ApiError{ErrorKind::kMalformed, requests.where(exchange), taken.error().what});
  return sent;
}

ApiResult<std::string> Client::Impl::list_page(const std::string& path, const ListOptions& options,
                                               const std::string& from, const ListSink& sink,
                                               const std::stop_token& stop, std::string& version) {
  Exchange request = exchange("GET", path + query({{"limit", std::to_string(options.page)},
                                                   {"continue", from},
                                                   {"labelSelector", options.label_selector},
                                                   {"fieldSelector", options.field_selector}}));
  request.total = {}; // the time that the sink takes is in it
  request.accept = accepted(options.metadata_only, "PartialObjectMetadataList");
  PageReader reader(requests.options().most, sink.item);
  if (auto sent = read(request, reader, stop); !sent) return std::unexpected(std::move(sent.error()));
  auto end = reader.end();
  if (!end)
    return std::unexpected(ApiError{ErrorKind::kMalformed, requests.where(request), end.error().what});
  version = std::move(end->version);
  return std::move(end->next);
}

ApiResult<std::string> Client::list(const std::string& path, const ListOptions& options, const ListSink& sink,
                                    const std::stop_token& stop) {
  constexpr int kBegins = 3;
  for (int begun = 0;;) {
    std::string from, version;
    while (true) {
      auto next = impl_->list_page(path, options, from, sink, stop, version);
      const bool expired = !next && next.error().kind == ErrorKind::kGone && !from.empty();
      if (expired && ++begun < kBegins) break;
      if (!next) return std::unexpected(std::move(next.error()));
      if (next->empty()) return version;
      from = std::move(*next);
    }
    sink.restart();
  }
}

ApiResult<void> Client::watch(const std::string& path, const WatchOptions& options,
                              const std::function<void(const WatchEvent&)>& event,
                              const std::stop_token& stop) {
  // client-go: 5 to 10 minutes, so that watches don't end all at once (tools/cache/reflector.go).
  const long seconds = options.timeout.count() != 0
                           ? options.timeout.count()
                           : std::uniform_int_distribution<long>(300, 600)(impl_->random);
  Exchange request = impl_->exchange("GET", path + query({{"watch", "true"},
                                                          {"allowWatchBookmarks", "true"},
                                                          {"resourceVersion", options.resource_version},
                                                          {"timeoutSeconds", std::to_string(seconds)},
                                                          {"labelSelector", options.label_selector},
                                                          {"fieldSelector", options.field_selector}}));
  request.accept = accepted(options.metadata_only, "PartialObjectMetadata");
  request.silence += std::chrono::seconds(seconds);
  request.total = {};
  EventReader reader(impl_->requests.options().most, event);
  auto sent = impl_->read(request, reader, stop);
  if (const auto& said = reader.error()) {
    ApiError error = *said;
    error.where = impl_->requests.where(request);
    return std::unexpected(std::move(error));
  }
  if (sent && reader.within())
    return std::unexpected(
        ApiError{ErrorKind::kUnreachable, impl_->requests.where(request), "the watch ended within an event"});
  return sent;
}

} // namespace fluxhook::kube
