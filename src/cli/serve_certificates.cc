#include "cli/serve_certificates.h"

#include <utility>

#include "cli/note_writer.h"
#include "fluxhook/certs/keeper.h"
#include "fluxhook/certs/observer.h"

namespace fluxhook::cli {

Result<std::unique_ptr<CertificateCare>> CertificateCare::open(Work work, const kube::Config& config,
                                                               Installation installation,
                                                               std::shared_ptr<const server::Log> log) {
  auto client = kube::Client::open(config);
  if (!client) return std::unexpected(client.error());
  auto care = std::make_unique<CertificateCare>();
  care->work_ = work;
  care->client_ = std::move(*client);
  care->installation_ = std::move(installation);
  care->log_ = std::move(log);
  return care;
}

void CertificateCare::start(server::Server& server) {
  thread_ = std::jthread([this, &server](const std::stop_token& stop) {
    work_ == Work::kKeep ? keep(server, stop) : observe(server, stop);
  });
}

void CertificateCare::keep(server::Server& server, const std::stop_token& stop) {
  certs::KeeperOptions options;
  options.name = installation_.name;
  options.name_space = installation_.name_space;
  options.cluster_domain = installation_.cluster_domain;
  options.log = note_writer(log_);
  options.serve = [&server, log = options.log](const certs::Pair& pair) {
    const auto set = server.set_certificate(pair);
    if (!set) log({Note::Level::kError, "the certificate is refused", {{"reason", set.error().text()}}});
    return set.has_value();
  };
  options.sleep = [this](auto time, const auto& stopping) { return wait(time, stopping); };
  options.doubt = [&server](const std::string& doubt) { server.set_doubt(doubt); };
  certs::Keeper(*client_, std::move(options)).run(stop);
}

void CertificateCare::observe(server::Server& server, const std::stop_token& stop) {
  certs::ObserverOptions options;
  options.name = installation_.name;
  options.name_space = installation_.name_space;
  options.log = note_writer(log_);
  options.served = [&server] { return server.certificate(); };
  options.sleep = [this](auto time, const auto& stopping) { return wait(time, stopping); };
  options.judge = [&server](const certs::Verdict& verdict) {
    server.set_doubt(verdict.doubt, verdict.known);
  };
  certs::Observer(*client_, std::move(options)).run(stop);
}

void CertificateCare::look_again() {
  const std::scoped_lock lock(mutex_);
  again_ = true;
  wake_.notify_one();
}

bool CertificateCare::wait(std::chrono::milliseconds time, const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  wake_.wait_for(lock, stop, time, [this] { return again_; });
  again_ = false;
  return !stop.stop_requested();
}

} // namespace fluxhook::cli
