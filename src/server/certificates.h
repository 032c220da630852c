#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "fluxhook/base/result.h"
#include "fluxhook/server/server.h"
#include "server/tls.h"

namespace fluxhook::server {

/// The certificate that is served, kept equal to its files. Kubernetes swaps the `..data` link of a mounted
/// Secret to a new folder: the files are asked what they are now, by their paths, again and again (a watch on
/// a file would never fire). Connections keep the context that they began with.
class Certificates {
public:
  /// Reads the files or makes a certificate: the ephemeral one, or what stands for one that is not given yet.
  /// Error: whatever is wrong with them.
  [[nodiscard]] static Result<std::unique_ptr<Certificates>> open(const Options& options);

  [[nodiscard]] std::shared_ptr<const TlsContext> current() const { return current_.load(); }

  /// Looks at the files, and reads them when they are not the ones that were last read, or when `again` says
  /// so. A pair that can't be used is logged once, and the old one is served on. For one thread.
  void poll(bool again = false);

  /// Whether what is served is what is on disk.
  [[nodiscard]] bool equals_disk() const { return equals_disk_; }

  /// Serves this from now on; for any thread. Error: it can't be used.
  [[nodiscard]] Result<void> give(const certs::Pair& pair);
  void set_doubt(const std::string& doubt, bool known);
  /// Why callers may not trust what is served; "": no reason is known.
  [[nodiscard]] std::string doubt() const;
  /// Whether callers trust what is served, as far as anybody has said so.
  [[nodiscard]] std::optional<bool> trusted() const;
  /// Whether what is served is more than a stand-in.
  [[nodiscard]] bool real() const { return real_; }

private:
  explicit Certificates(const Options& options);
  Result<std::string> make(const Options& options);
  Result<void> load();
  [[nodiscard]] Result<std::pair<Pem, Pem>> pair() const;
  /// What the files are: changes when one of them is another file or was written to.
  [[nodiscard]] std::string fingerprint() const;

  std::string cert_file_, key_file_, client_ca_file_;
  std::shared_ptr<const Log> log_;
  mutable std::mutex mutex_; ///< of the next three, and of what is loaded from them
  certs::Pair given_;
  std::string doubt_;
  bool judged_ = false; ///< somebody knows about the doubt
  std::atomic<bool> real_{true};
  std::string seen_; ///< fingerprint of what was last read, usable or not
  std::atomic<bool> equals_disk_{true};
  std::atomic<std::shared_ptr<const TlsContext>> current_;
};

} // namespace fluxhook::server
