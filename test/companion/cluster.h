#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "companion/jobsets.h"
#include "kube/api_server.h"

namespace fluxhook::companion::test {

using kube::test::Call;
using kube::test::Peer;

/// A small API server in memory, over HTTPS: create, read, update, delete with a uid precondition, list with
/// selectors, watch. It answers as kube-apiserver does as far as the controller can tell. Objects are
/// called by their paths.
class Cluster {
public:
  Cluster();
  ~Cluster();
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  /// Whoever uses it is known by the token.
  [[nodiscard]] kube::Config config(const std::string& token = "one") const;

  /// Asked before each request: an answer to give instead, whole; "" cuts the connection. Called by one
  /// thread at a time.
  using Fault = std::function<std::optional<std::string>(const Call& call)>;
  void set_fault(Fault fault);
  /// Asked after each request that was carried out: true cuts the connection instead of the answer.
  void set_loss(std::function<bool(const Call& call)> loss);

  void put(const Json& object); ///< creates or replaces; what is missing of metadata is added
  void remove(const std::string& path);
  /// The garbage collector: removes what belongs to JobSets that are gone.
  void collect();

  [[nodiscard]] std::optional<Json> get(const std::string& path) const;
  /// The object, as soon as there is one that `is` likes; null after a long time.
  [[nodiscard]] Json wait_for(
      const std::string& path,
      const std::function<bool(const Json&)>& is = [](const Json&) { return true; }) const;
  /// Waits until something is true that requests make true; false after a long time.
  [[nodiscard]] bool wait_until(const std::function<bool()>& is) const;
  [[nodiscard]] std::vector<Json> all(const std::string& kind) const;
  /// How many requests came with this method and a path that ends in this.
  [[nodiscard]] std::size_t count(const std::string& method, const std::string& end) const;
  /// Requests to create an object of this name.
  [[nodiscard]] std::size_t creates(const std::string& name) const;

  /// How many times an object of this path was created.
  [[nodiscard]] std::size_t stored(const std::string& path) const;

private:
  struct Change {
    std::string type, path;
    Json object;
  };
  void serve(const Call& call, Peer& peer);
  void serve_watch(const Call& call, Peer& peer);
  std::string carry_out(const Call& call);
  std::string create(const Call& call);
  std::string update(const Call& call);
  std::string erase(const Call& call);
  std::string list(const Call& call) const;
  void store(const std::string& path, Json object);
  void erase_path(const std::string& path);

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::map<std::string, Json> objects_;
  std::vector<Change> changes_; ///< their indices are resourceVersions
  std::vector<Call> calls_;
  Fault fault_;
  std::function<bool(const Call&)> loss_;
  bool closing_ = false;
  int uids_ = 0;
  std::unique_ptr<kube::test::ApiServer> server_;
};

inline constexpr auto kJobSetPath = "/apis/jobset.x-k8s.io/v1alpha2/namespaces/hpc/jobsets/js";
inline constexpr auto kMapPath = "/api/v1/namespaces/hpc/configmaps/js-flux-entrypoint";
inline constexpr auto kSecretPath = "/api/v1/namespaces/hpc/secrets/js-flux-curve";

/// The uid of the JobSet that owns an object.
inline std::string owner(const Json& object) {
  return object.value("/metadata/ownerReferences/0/uid"_json_pointer, std::string());
}

/// A refusal of the API server.
[[nodiscard]] inline std::string refusal(int code, const std::string& reason, const std::string& message,
                                         const std::string& headers = "") {
  return kube::test::answer(code, kube::test::status(code, reason, message), headers);
}

} // namespace fluxhook::companion::test
