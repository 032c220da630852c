#pragma once

#include <memory>
#include <string>
#include <vector>

namespace fluxhook::kube::test {

/// A certificate and its key, PEM.
struct Pair {
  std::string certificate;
  std::string key;
};

/// Days from now at which a certificate begins and ends.
struct Days {
  int from = -1;
  int to = 30;
};

/// A CA that lives as long as a test.
class Authority {
public:
  explicit Authority(const std::string& name = "test CA");
  ~Authority();
  Authority(const Authority&) = delete;
  Authority& operator=(const Authority&) = delete;

  [[nodiscard]] std::string certificate() const;
  /// `names` as X.509 writes alternative names: "DNS:localhost,IP:127.0.0.1"; "" for a client.
  [[nodiscard]] Pair issue(const std::string& common_name, const std::string& names = "",
                           Days days = {}) const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace fluxhook::kube::test
