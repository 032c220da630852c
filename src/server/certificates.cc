#include "server/certificates.h"

#include <openssl/crypto.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <format>
#include <vector>

#include "fluxhook/files/read.h"
#include "fluxhook/files/write.h"

namespace fluxhook::server {

namespace {

Result<Pem> read_pem(const std::string& path) {
  auto text = files::read_small(path);
  if (!text) return std::unexpected(text.error()); // an empty CA among them, which must not mean "no CA"
  return Pem{.text = std::move(*text), .source = path};
}

/// Whole or not at all: whoever waits for the file never sees half of it. What is there and no file, a device
/// say, is not replaced.
Result<void> write_whole(const std::string& path, std::string_view text) {
  struct stat existing{};
  if (::stat(path.c_str(), &existing) == 0 && !S_ISREG(existing.st_mode))
    return fail(path, "can't be written: it is no regular file");
  files::StagedFile file(path);
  if (file.write(text) && file.set_mode(0644) && file.place()) return {};
  return fail(path, std::format("can't be written: {}", std::strerror(errno)));
}

std::vector<std::string> ephemeral_hosts(const std::string& listen_host) {
  std::vector<std::string> hosts{"localhost", "127.0.0.1", "::1"};
  const bool any = listen_host.empty() || listen_host == "0.0.0.0" || listen_host == "::";
  if (!any && std::ranges::find(hosts, listen_host) == hosts.end()) hosts.push_back(listen_host);
  return hosts;
}

std::string utc(std::time_t time) { return certs::utc(certs::Time(std::chrono::seconds(time))); }

void tell(const Log& log, const TlsContext& context, std::string_view message, std::string_view source) {
  const bool valid = context.valid_at(std::time(nullptr));
  log.write(valid ? LogLevel::kInfo : LogLevel::kError,
            valid ? message : "the certificate is expired or not valid yet: not ready",
            {{"certificate", source},
             {"not_before", utc(context.not_before)},
             {"not_after", utc(context.not_after)}});
}

} // namespace

Certificates::Certificates(const Options& options)
    : cert_file_(options.cert_file), key_file_(options.key_file), client_ca_file_(options.client_ca_file),
      log_(options.log), doubt_(options.doubt), judged_(options.given) {}

Result<std::unique_ptr<Certificates>> Certificates::open(const Options& options) {
  std::unique_ptr<Certificates> certificates(new Certificates(options));
  certificates->seen_ = certificates->fingerprint();
  Result<std::string> ca;
  if (options.ephemeral || options.given) ca = certificates->make(options);
  if (!ca) return std::unexpected(ca.error());
  if (auto loaded = certificates->load(); !loaded) return std::unexpected(loaded.error());
  if (!options.ca_out.empty()) {
    if (auto written = write_whole(options.ca_out, *ca); !written) return std::unexpected(written.error());
  }
  if (!options.cert_file.empty())
    tell(*options.log, *certificates->current(), "certificate read", options.cert_file);
  return certificates;
}

/// Makes a CA, whose key is then gone, and what it has issued the given pair. Returns the CA's certificate.
Result<std::string> Certificates::make(const Options& options) {
  const auto now = certs::wall_clock();
  const certs::Validity validity = certs::valid_from(now, certs::kLeafLife);
  const auto authority = certs::issue_authority("fluxhook ephemeral CA", validity);
  if (!authority) return std::unexpected(authority.error());
  auto leaf = certs::issue_leaf(*authority, ephemeral_hosts(options.listen.host), validity);
  if (!leaf) return std::unexpected(leaf.error());
  if (options.given) {
    real_ = false;
    doubt_ = "there is no certificate yet";
  }
  given_ = std::move(*leaf);
  return authority->certificate;
}

Result<void> Certificates::give(const certs::Pair& pair) {
  const std::scoped_lock lock(mutex_);
  const certs::Pair before = std::exchange(given_, pair);
  if (auto loaded = load(); !loaded) {
    given_ = before;
    return loaded;
  }
  real_ = true;
  tell(*log_, *current(), "certificate served", "self-managed");
  return {};
}

void Certificates::set_doubt(const std::string& doubt, bool known) {
  const std::scoped_lock lock(mutex_);
  doubt_ = doubt;
  judged_ = judged_ || known;
}

std::optional<bool> Certificates::trusted() const {
  const std::scoped_lock lock(mutex_);
  if (!judged_) return std::nullopt;
  return real_ && doubt_.empty();
}

std::string Certificates::doubt() const {
  const std::scoped_lock lock(mutex_);
  return doubt_;
}

/// The chain and its key.
Result<std::pair<Pem, Pem>> Certificates::pair() const {
  if (cert_file_.empty())
    return std::pair(Pem{given_.certificate, "certificate"}, Pem{given_.key.text(), "key"});
  auto chain = read_pem(cert_file_);
  if (!chain) return std::unexpected(chain.error());
  auto key = read_pem(key_file_);
  if (!key) return std::unexpected(key.error());
  return std::pair(std::move(*chain), std::move(*key));
}

Result<void> Certificates::load() {
  auto read = pair();
  if (!read) return std::unexpected(read.error());
  auto& [chain, key] = *read;
  const auto client_ca = client_ca_file_.empty() ? Result<Pem>(Pem{}) : read_pem(client_ca_file_);
  if (!client_ca) return std::unexpected(client_ca.error());
  auto context = make_tls_context(chain, key, *client_ca);
  OPENSSL_cleanse(key.text.data(), key.text.size());
  if (!context) return std::unexpected(context.error());
  current_ = std::make_shared<const TlsContext>(std::move(*context));
  return {};
}

std::string Certificates::fingerprint() const {
  std::string all;
  for (const std::string* path : {&cert_file_, &key_file_, &client_ca_file_}) {
    struct stat status{};
    if (!path->empty() && ::stat(path->c_str(), &status) == 0)
      all += std::format("{}:{}:{}:{}.{} ", status.st_dev, status.st_ino, status.st_size,
                         status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
    else all += "none ";
  }
  return all;
}

void Certificates::poll(bool again) {
  if (cert_file_.empty() && client_ca_file_.empty()) return;
  const std::string now = fingerprint();
  if (now == seen_ && !again) return;
  const std::scoped_lock lock(mutex_);
  const auto loaded = load();
  if (now != fingerprint()) return; // changed under our hands: a pair of old and new, to be read again
  seen_ = now;
  equals_disk_ = loaded.has_value();
  if (loaded)
    tell(*log_, *current(), "certificate reloaded", cert_file_.empty() ? client_ca_file_ : cert_file_);
  else log_->error("certificate refused, the old one is served on", {{"reason", loaded.error().text()}});
}

} // namespace fluxhook::server
