#pragma once

#include <map>
#include <string>
#include <vector>

#include "fluxhook/base/result.h"
#include "fluxhook/manifest/node.h"

namespace fluxhook::kube {

/// A cluster, user or context of a kubeconfig, and the file that it is from.
struct Entry {
  std::string file;
  manifest::Node value;
};

using Entries = std::map<std::string, Entry>;

/// What kubeconfig files say together.
struct Kubeconfig {
  std::vector<std::string> files; ///< those that were read
  std::string current_context;
  Entries clusters, users, contexts;

  [[nodiscard]] bool empty() const { return clusters.empty() && users.empty() && contexts.empty(); }
  /// The files for a message: "a", or "a, b".
  [[nodiscard]] std::string source() const;
};

/// Reads the files and merges them as kubectl does (client-go tools/clientcmd/loader.go, Load): whoever names
/// an entry first has it, and so with current-context. A path that is empty or does not exist is passed over.
/// Error: a file that can't be read or is no kubeconfig.
[[nodiscard]] Result<Kubeconfig> read_kubeconfig(const std::vector<std::string>& paths);

/// `"a", "b"`, or "none".
[[nodiscard]] std::string names_of(const Entries& entries);

} // namespace fluxhook::kube
