#include "fluxhook/server/server.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <thread>
#include <utility>

#include "server/certificates.h"
#include "server/listener.h"
#include "server/loop.h"
#include "server/metrics.h"
#include "server/process.h"
#include "server/routes.h"

namespace fluxhook::server {

namespace {

constexpr std::size_t kOtherDescriptors = 64; ///< besides connections: files, listeners, epoll
constexpr std::size_t kMetricsConnections = 64;
constexpr std::chrono::milliseconds kLateEvery{1'000}; ///< how often late connections are looked for

} // namespace

struct Server::Impl {
  Impl(const Options& given, std::unique_ptr<Certificates> opened)
      : options(given), metrics(options.more_metrics), certificates(std::move(opened)),
        loop(options, metrics, *certificates) {}

  [[nodiscard]] std::string not_ready() const;
  void look_after(const std::stop_token& stop);
  void look_at_certificate(bool again = false);

  Options options;
  Metrics metrics;
  std::unique_ptr<Certificates> certificates;
  std::unique_ptr<Routes> webhook_routes, metrics_routes;
  Address address, metrics_address;
  std::atomic<bool> draining{false};
  std::string last_not_ready; ///< as last logged
  Loop loop;
  std::mutex mutex;
  std::condition_variable_any wake; ///< reload_wanted, or the end of looking_after
  bool reload_wanted = false;
  std::jthread looking_after; ///< the last: it uses all of the above
};

std::string Server::Impl::not_ready() const {
  if (draining) return "the server is stopping";
  if (std::string doubt = certificates->doubt(); !doubt.empty()) return doubt;
  const auto context = certificates->current();
  const std::time_t now = std::time(nullptr); // the wall clock: it also goes on while a machine sleeps
  if (now > context->not_after) return "the certificate has expired";
  if (now < context->not_before) return "the certificate is not valid yet";
  return {};
}

void Server::Impl::look_at_certificate(bool again) {
  certificates->poll(again);
  if (certificates->real())
    metrics.certificate(certificates->current()->not_after, certificates->equals_disk());
  if (const auto trusted = certificates->trusted()) metrics.certificate_trusted(*trusted);
  const std::string why_not = not_ready();
  metrics.ready(why_not.empty());
  if (why_not != last_not_ready && why_not.empty()) options.log->info("ready");
  else if (why_not != last_not_ready) options.log->warn("not ready: " + why_not);
  last_not_ready = why_not;
}

void Server::Impl::look_after(const std::stop_token& stop) {
  auto next_late = Clock::now() + kLateEvery;
  bool again = false;
  while (!stop.stop_requested()) {
    look_at_certificate(again);
    if (const auto now = Clock::now(); now >= next_late) {
      loop.end_late(now);
      next_late = now + kLateEvery;
    }
    std::unique_lock lock(mutex);
    wake.wait_for(lock, stop, std::min(options.certificate_poll, kLateEvery),
                  [this] { return reload_wanted; });
    again = std::exchange(reload_wanted, false);
  }
}

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Server::~Server() = default;

Result<std::unique_ptr<Server>> Server::start(const Options& options, Reviewer reviewer) {
  std::signal(SIGPIPE, SIG_IGN); // OpenSSL writes with write(2)
  // Before anything is written: a second server on the same port leaves the first one's files alone.
  auto listener = listen_on(options.listen);
  if (!listener) return std::unexpected(listener.error());
  auto certificates = Certificates::open(options);
  if (!certificates) return std::unexpected(certificates.error());
  auto impl = std::make_unique<Impl>(options, std::move(*certificates));
  Impl& server = *impl;

  const std::size_t wanted = options.max_connections + kMetricsConnections + kOtherDescriptors;
  if (const std::size_t granted = raise_descriptor_limit(wanted); granted < wanted)
    options.log->warn("the limit on open files is lower than the one on connections",
                      {{"open_files", static_cast<std::int64_t>(granted)},
                       {"max_connections", static_cast<std::int64_t>(options.max_connections)}});
  server.address = listener->address;
  server.webhook_routes = std::make_unique<Routes>(
      std::move(reviewer), [&server] { return server.not_ready(); }, server.draining, server.metrics,
      options.log);
  server.loop.add({.listener = std::move(*listener),
                   .service = std::bind_front(&Routes::answer, server.webhook_routes.get()),
                   .max_connections = options.max_connections});
  if (options.metrics) {
    auto metrics_listener = listen_on(options.metrics_listen);
    if (!metrics_listener) return std::unexpected(metrics_listener.error());
    server.metrics_address = metrics_listener->address;
    server.metrics_routes = std::make_unique<Routes>(server.draining, server.metrics, options.log);
    server.loop.add({.listener = std::move(*metrics_listener),
                     .tls = false,
                     .service = std::bind_front(&Routes::answer, server.metrics_routes.get()),
                     .max_connections = kMetricsConnections});
  }
  server.look_at_certificate(); // so that the first scrape already finds its figures
  server.loop.start();
  server.looking_after = std::jthread([&server](const std::stop_token& stop) { server.look_after(stop); });
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

const Address& Server::address() const { return impl_->address; }
const Address& Server::metrics_address() const { return impl_->metrics_address; }

void Server::reload() {
  const Options& options = impl_->options;
  options.log->info(options.ephemeral ? "reload: an ephemeral certificate has no files to read again"
                    : options.given   ? "reload: looking at the Secret again"
                                      : "reload: reading the certificate's files again");
  const std::scoped_lock lock(impl_->mutex);
  impl_->reload_wanted = true;
  impl_->wake.notify_one();
}

Result<void> Server::set_certificate(const certs::Pair& pair) { return impl_->certificates->give(pair); }
void Server::set_doubt(const std::string& doubt, bool known) { impl_->certificates->set_doubt(doubt, known); }
std::string Server::certificate() const { return chain_of(*impl_->certificates->current()); }

void Server::stop() {
  if (impl_->draining.exchange(true)) return;
  const Options& options = impl_->options;
  const auto begin = Clock::now();
  options.log->info("stopping: no longer ready, answering what comes");
  std::this_thread::sleep_until(begin + std::min(options.drain_accept, options.drain_timeout));
  impl_->loop.stop_listening();
  if (impl_->loop.finish(begin + options.drain_timeout)) options.log->info("stopped");
  else options.log->warn("stopped, with connections open at the end of the drain timeout");
}

} // namespace fluxhook::server
