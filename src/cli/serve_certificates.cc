#include "cli/serve_certificates.h"

#include <utility>

#include "cli/note_writer.h"

namespace fluxhook::cli {

Result<std::unique_ptr<SelfManaged>> SelfManaged::open(const kube::Config& config, std::string name,
                                                       std::string cluster_domain,
                                                       std::shared_ptr<const server::Log> log) {
  auto client = kube::Client::open(config);
  if (!client) return std::unexpected(client.error());
  auto managed = std::make_unique<SelfManaged>();
  managed->client_ = std::move(*client);
  managed->options_.name = std::move(name);
  managed->options_.name_space = config.namespace_;
  managed->options_.cluster_domain = std::move(cluster_domain);
  managed->options_.log = note_writer(std::move(log));
  return managed;
}

void SelfManaged::start(server::Server& server) {
  options_.serve = [&server, log = options_.log](const certs::Pair& pair) {
    const auto set = server.set_certificate(pair);
    if (!set) log({Note::Level::kError, "the certificate is refused", {{"reason", set.error().text()}}});
    return set.has_value();
  };
  options_.sleep = [this](auto time, const auto& stop) { return wait(time, stop); };
  options_.doubt = [&server](const std::string& doubt) { server.set_doubt(doubt); };
  thread_ =
      std::jthread([this](const std::stop_token& stop) { certs::Keeper(*client_, options_).run(stop); });
}

void SelfManaged::look_again() {
  const std::scoped_lock lock(mutex_);
  again_ = true;
  wake_.notify_one();
}

bool SelfManaged::wait(std::chrono::milliseconds time, const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  wake_.wait_for(lock, stop, time, [this] { return again_; });
  again_ = false;
  return !stop.stop_requested();
}

} // namespace fluxhook::cli
