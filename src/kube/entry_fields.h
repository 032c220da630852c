#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "fluxhook/kube/config.h"
#include "kube/kubeconfig_file.h"

namespace fluxhook::kube {

/// Reads the fields of an entry one by one, and keeps the first fault.
class EntryFields {
public:
  /// `name`: how messages call it, 'user "x"'.
  EntryFields(const Entry& entry, std::string name) : entry_(entry), name_(std::move(name)) {}

  [[nodiscard]] bool has(std::string_view key) const;
  /// A string; "" when it is absent.
  [[nodiscard]] std::string text(std::string_view key);
  /// false when it is absent.
  [[nodiscard]] bool flag(std::string_view key);
  /// A path, against the folder of the entry's file; "" when it is absent.
  [[nodiscard]] std::string path(std::string_view key);
  /// What `key` names as a file, or `key`-data has in base64. Both are a fault.
  [[nodiscard]] Pem pem(std::string_view key);
  [[nodiscard]] std::optional<ExecPlugin> exec();

  /// Keeps a fault of a field.
  void fault(std::string_view key, std::string what);
  /// Keeps a fault that has its place already.
  void fault(Error error);
  /// Error: the first fault.
  [[nodiscard]] Result<void> check() const;
  /// FILE: user "x": KEY
  [[nodiscard]] std::string source(std::string_view key) const;

private:
  const Entry& entry_;
  std::string name_;
  std::optional<Error> fault_;
};

} // namespace fluxhook::kube
