#include "fluxhook/companion/controller.h"

#include <unistd.h>

#include <array>
#include <format>
#include <mutex>
#include <random>
#include <thread>

#include "companion/leading.h"
#include "fluxhook/kube/lease.h"

namespace fluxhook::companion {

namespace {

/// Unique among the replicas, and among the runs of one (client-go: host name and UUID).
std::string make_identity() {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host.front() = '\0';
  std::random_device random;
  return std::format("{}_{:08x}{:08x}", host.data(), random(), random());
}

} // namespace

struct Controller::Impl {
  explicit Impl(ControllerOptions given) : options(std::move(given)), log(options) {}
  void run(const std::stop_token& stop);
  void lead();
  void stop_leading();

  ControllerOptions options;
  Counters counters;
  FaultLog log;
  std::unique_ptr<kube::Client> client;
  mutable std::mutex mutex;
  std::unique_ptr<Leading> leading;
  std::jthread thread;
};

Controller::Controller(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Controller::~Controller() { stop(); }

void Controller::begin_stop() { impl_->thread.request_stop(); }

void Controller::stop() {
  begin_stop();
  if (impl_->thread.joinable()) impl_->thread.join();
}

Result<std::unique_ptr<Controller>> Controller::start(ControllerOptions options) {
  if (options.identity.empty()) options.identity = make_identity();
  auto impl = std::make_unique<Impl>(std::move(options));
  auto client = kube::Client::open(impl->options.config, {.retries = 0, .sleep = impl->options.sleep});
  if (!client) return std::unexpected(client.error());
  impl->client = std::move(*client);
  impl->thread = std::jthread([at = impl.get()](const std::stop_token& stop) { at->run(stop); });
  return std::unique_ptr<Controller>(new Controller(std::move(impl)));
}

void Controller::Impl::lead() {
  log.over("lease");
  log.say(Note::Level::kInfo, "leading: this replica creates the companions",
          {{"lease", options.name_space + "/" + options.name}, {"identity", options.identity}});
  counters.leader(true);
  const std::scoped_lock lock(mutex);
  leading = std::make_unique<Leading>(options, counters, log);
}

void Controller::Impl::stop_leading() {
  std::unique_ptr<Leading> ending;
  {
    const std::scoped_lock lock(mutex);
    ending = std::move(leading);
  }
  ending.reset(); // ends its threads
  counters.leader(false);
  log.say(Note::Level::kInfo, "not leading any more", {{"identity", options.identity}});
}

void Controller::Impl::run(const std::stop_token& stop) {
  kube::ElectionOptions election{
      .name_space = options.name_space, .name = options.name, .identity = options.identity};
  election.lease_duration = options.lease_duration;
  election.renew_deadline = options.renew_deadline;
  election.now = options.now;
  const kube::ElectionHandler handler{
      .started = [this] { lead(); },
      .stopped = [this] { stop_leading(); },
      .trouble =
          [this](const kube::ApiError& error) {
            log.fault(std::format("lease/{}", to_string(error.kind)), "the Lease can't be had",
                      {{"lease", options.name_space + "/" + options.name}, {"error", error.text()}});
          }};
  kube::elect(*client, election, handler, stop);
}

Figures Controller::figures() const {
  Figures figures = impl_->counters.figures();
  const std::scoped_lock lock(impl_->mutex);
  if (impl_->leading) figures.queue = impl_->leading->waiting();
  return figures;
}

} // namespace fluxhook::companion
