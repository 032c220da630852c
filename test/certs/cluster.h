#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "fluxhook/certs/keeper.h"
#include "kube/api_server.h"

namespace fluxhook::certs::test {

using kube::test::ApiServer;
using kube::test::Call;
using kube::test::Peer;
using nlohmann::json;

inline const std::string kSecret = "/api/v1/namespaces/flux/secrets/fluxhook-tls";
inline const std::string kMutating =
    "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/fluxhook";
inline const std::string kValidating =
    "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/fluxhook";

/// When the tests' clocks begin.
inline constexpr Time kBegin = std::chrono::sys_days(std::chrono::year(2026) / 1 / 1);

/// The certificates in a PEM text.
[[nodiscard]] inline std::size_t count(const std::string& pem) {
  return split_certificates(pem).value().size();
}

/// An API server with a few objects, which keeps resourceVersions and JSON patches as a real one does.
class Cluster {
public:
  /// Both configurations of fluxhook, without caBundle; no Secret.
  Cluster();

  void put(const std::string& path, json object); ///< somebody else writes it
  void remove(const std::string& path);
  [[nodiscard]] json get(const std::string& path) const; ///< null when it isn't there
  /// Asked before each request: an answer to give instead of doing it.
  void set_fault(std::function<std::optional<std::string>(const Call&)> fault);

  [[nodiscard]] std::string value(const std::string& key) const;            ///< of the Secret, decoded
  [[nodiscard]] std::string bundle(const std::string& configuration) const; ///< of its webhook, decoded
  [[nodiscard]] std::vector<std::string> writes() const; ///< "PUT PATH" …, those that were done
  [[nodiscard]] kube::Config config() const { return server_.config(); }

private:
  void serve(const Call& call, Peer& peer);
  [[nodiscard]] std::string carry_out(const Call& call);
  std::string store(const std::string& path, json object);

  mutable std::recursive_mutex mutex_;
  std::function<std::optional<std::string>(const Call&)> fault_;
  std::map<std::string, json> objects_;
  std::vector<std::string> writes_;
  int version_ = 0;
  ApiServer server_;
};

/// A configuration of one webhook that calls a Service.
[[nodiscard]] json configuration(const std::string& kind, const std::string& service = "fluxhook",
                                 const std::string& name_space = "flux");

/// A replica's keeper, and what it has told.
class Replica {
public:
  explicit Replica(const Cluster& cluster, Time& clock);
  Replica(const Replica&) = delete;
  Replica& operator=(const Replica&) = delete;

  bool look() { return keeper_.look(); }
  /// Whether what it serves would be trusted by both configurations, as they are now.
  [[nodiscard]] bool is_trusted(const Cluster& cluster) const;
  [[nodiscard]] std::size_t count(const std::string& text) const; ///< of log lines that contain it

  Pair served;
  std::string doubt = "nothing told";
  std::vector<std::string> lines; ///< "warn: message key=value"
  std::function<void()> at_serve = [] {};
  bool takes = true; ///< what it is given to serve

private:
  std::unique_ptr<kube::Client> client_;
  Keeper keeper_;
};

} // namespace fluxhook::certs::test
