#include "fluxhook/kube/client.h"

#include <format>
#include <random>

#include "kube/json.h"
#include "kube/requests.h"
#include "kube/splitter.h"
#include "kube/status.h"

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
  /// Sends it and splits the answer into objects. Error: also what `sink` refuses.
  [[nodiscard]] ApiResult<void> split(const Exchange& exchange, Splitter& splitter,
                                      const Splitter::Sink& sink, const std::stop_token& stop);
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

ApiResult<std::string> Client::patch(const std::string& path, PatchType type, const std::string& patch,
                                     const WriteOptions& options, const std::stop_token& stop) {
  const char* const content =
      type == PatchType::kJson ? "application/json-patch+json" : "application/merge-patch+json";
  return impl_->write("PATCH", path, content, patch, options, stop);
}

ApiResult<void> Client::remove(const std::string& path, const DeleteOptions& options,
                               const std::stop_token& stop) {
  json body{{"apiVersion", "v1"}, {"kind", "DeleteOptions"}};
  if (!options.uid.empty()) body["preconditions"]["uid"] = options.uid;
  if (!options.resource_version.empty()) body["preconditions"]["resourceVersion"] = options.resource_version;
  if (!options.propagation.empty()) body["propagationPolicy"] = options.propagation;
  if (options.dry_run) body["dryRun"] = {"All"};
  Exchange request = impl_->exchange("DELETE", path);
  request.content_type = "application/json";
  request.body = to_text(body);
  auto sent = impl_->requests.send(request, stop);
  if (!sent) return std::unexpected(std::move(sent.error()));
  return {};
}

ApiResult<void> Client::Impl::split(const Exchange& exchange, Splitter& splitter, const Splitter::Sink& sink,
                                    const std::stop_token& stop) {
  Result<void> taken;
  const Receiver receiver = [&](std::string_view bytes) {
    taken = splitter.feed(bytes, sink);
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
  Splitter splitter(Splitter::Objects::kItems, requests.options().most);
  const auto hand_over = [&](std::string_view text) -> Result<void> {
    auto meta = read_meta(text);
    if (!meta) return std::unexpected(meta.error());
    sink.item({std::move(*meta), text});
    return {};
  };
  if (auto sent = split(request, splitter, hand_over, stop); !sent)
    return std::unexpected(std::move(sent.error()));
  const json rest = parse_json(splitter.rest());
  const json* const metadata = member(rest, "metadata");
  if (metadata == nullptr || member(rest, "items") == nullptr)
    return std::unexpected(ApiError{ErrorKind::kMalformed, requests.where(request), "the answer is no list"});
  version = text_of(*metadata, "resourceVersion");
  return text_of(*metadata, "continue");
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

namespace {

/// Reads an event and hands it over. Error: what is no event. An ERROR event goes to `error`.
Result<void> take_event(std::string_view text, const std::function<void(const WatchEvent&)>& sink,
                        std::optional<ApiError>& error) {
  const auto type = raw_member(text, "type"), object = raw_member(text, "object");
  if (!type || !object)
    return fail("", "a watch event without type and object: " + one_line(text.substr(0, 100)));
  if (*type == "\"ERROR\"") {
    error = read_status(*object, 0, "");
    return {};
  }
  WatchEvent event;
  if (*type == "\"ADDED\"") event.type = EventType::kAdded;
  else if (*type == "\"MODIFIED\"") event.type = EventType::kModified;
  else if (*type == "\"DELETED\"") event.type = EventType::kDeleted;
  else if (*type == "\"BOOKMARK\"") event.type = EventType::kBookmark;
  else return {}; // of a later API
  auto meta = read_meta(*object);
  if (!meta) return std::unexpected(meta.error());
  event.item = {std::move(*meta), *object};
  sink(event);
  return {};
}

} // namespace

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
  Splitter splitter(Splitter::Objects::kStream, impl_->requests.options().most);
  std::optional<ApiError> error;
  const auto take = [&](std::string_view text) -> Result<void> {
    auto taken = take_event(text, event, error);
    return error ? fail("", "the last event") : taken;
  };
  auto sent = impl_->split(request, splitter, take, stop);
  if (error) {
    error->where = impl_->requests.where(request);
    return std::unexpected(std::move(*error));
  }
  if (sent && splitter.within())
    return std::unexpected(
        ApiError{ErrorKind::kUnreachable, impl_->requests.where(request), "the watch ended within an event"});
  return sent;
}

} // namespace fluxhook::kube
