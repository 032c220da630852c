#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "fluxhook/base/result.h"
#include "fluxhook/server/server.h"
#include "server/tls.h"

namespace fluxhook::server {

/// The certificate that is served, kept equal to its files. Kubernetes swaps the `..data` link of a mounted
/// Secret to a new folder: the files are asked what they are now, by their paths, again and again (a watch on
/// a file would never fire). Connections keep the context that they began with.
class Certificates {
public:
  /// Reads the files or makes the ephemeral certificate. Error: whatever is wrong with them.
  [[nodiscard]] static Result<std::unique_ptr<Certificates>> open(const Options& options);

  [[nodiscard]] std::shared_ptr<const TlsContext> current() const { return current_.load(); }

  /// Looks at the files, and reads them when they are not the ones that were last read, or when `again` says
  /// so. A pair that can't be used is logged once, and the old one is served on. For one thread.
  void poll(bool again = false);

  /// Whether what is served is what is on disk.
  [[nodiscard]] bool equals_disk() const { return equals_disk_; }

private:
  explicit Certificates(const Options& options);
  Result<void> load();
  /// What the files are: changes when one of them is another file or was written to.
  [[nodiscard]] std::string fingerprint() const;

  std::string cert_file_, key_file_, client_ca_file_;
  std::shared_ptr<const Log> log_;
  std::string seen_; ///< fingerprint of what was last read, usable or not
  std::atomic<bool> equals_disk_{true};
  std::atomic<std::shared_ptr<const TlsContext>> current_;
};

} // namespace fluxhook::server
