#include "certs/cluster.h"

#include <modp_b64.h>

#include <algorithm>

namespace fluxhook::certs::test {

using kube::test::answer;
using kube::test::status;

json configuration(const std::string& kind, const std::string& service, const std::string& name_space) {
  return {{"apiVersion", "admissionregistration.k8s.io/v1"},
          {"kind", kind},
          {"metadata", {{"name", "fluxhook"}}},
          {"webhooks",
           json::array({{{"name", "a.flux-framework.org"},
                         {"clientConfig", {{"service", {{"name", service}, {"namespace", name_space}}}}}}})}};
}

Cluster::Cluster() : server_([this](const Call& call, Peer& peer) { serve(call, peer); }) {
  put(kMutating, configuration("MutatingWebhookConfiguration"));
  put(kValidating, configuration("ValidatingWebhookConfiguration"));
}

std::string Cluster::store(const std::string& path, json object) {
  object["metadata"]["resourceVersion"] = std::to_string(++version_);
  objects_[path] = object;
  return object.dump();
}

void Cluster::put(const std::string& path, json object) {
  const std::scoped_lock lock(mutex_);
  store(path, std::move(object));
}

void Cluster::remove(const std::string& path) {
  const std::scoped_lock lock(mutex_);
  objects_.erase(path);
}

json Cluster::get(const std::string& path) const {
  const std::scoped_lock lock(mutex_);
  const auto found = objects_.find(path);
  return found == objects_.end() ? json() : found->second;
}

void Cluster::set_fault(std::function<std::optional<std::string>(const Call&)> fault) {
  const std::scoped_lock lock(mutex_);
  fault_ = std::move(fault);
}

std::string Cluster::value(const std::string& key) const {
  return modp::b64_decode(get(kSecret).at("data").at(key).get<std::string>());
}

std::string Cluster::bundle(const std::string& path) const {
  return modp::b64_decode(get(path).at("webhooks").at(0).at("clientConfig").value("caBundle", ""));
}

std::vector<std::string> Cluster::writes() const {
  const std::scoped_lock lock(mutex_);
  return writes_;
}

void Cluster::serve(const Call& call, Peer& peer) {
  const std::scoped_lock lock(mutex_);
  std::optional<std::string> instead;
  if (fault_) instead = fault_(call);
  if (instead && instead->empty()) return peer.cut();
  peer.send(instead ? *instead : carry_out(call));
}

std::string Cluster::carry_out(const Call& call) {
  std::string path = call.path();
  const json sent = call.body.empty() ? json() : json::parse(call.body);
  if (call.method == "POST") path += "/" + sent.at("metadata").at("name").get<std::string>();
  const auto found = objects_.find(path);
  if (call.method == "POST") {
    if (found != objects_.end()) return answer(409, status(409, "AlreadyExists", "it exists"));
    writes_.push_back("POST " + path);
    return answer(201, store(path, sent));
  }
  if (found == objects_.end()) return answer(404, status(404, "NotFound", "not found"));
  if (call.method == "GET") return answer(200, found->second.dump());
  if (call.method == "PUT") {
    if (sent.at("metadata").value("resourceVersion", json()) != found->second["metadata"]["resourceVersion"])
      return answer(409, status(409, "Conflict", "the object has been modified"));
    writes_.push_back("PUT " + path);
    return answer(200, store(path, sent));
  }
  try {
    json patched = found->second.patch(sent);
    writes_.push_back("PATCH " + path);
    return answer(200, store(path, std::move(patched)));
  } catch (const json::exception&) {
    return answer(422,
                  status(422, "Invalid", "the server rejected our request due to an error in our request"));
  }
}

namespace {

KeeperOptions options_of(Replica& replica, Time& clock) {
  KeeperOptions options;
  options.name_space = "flux";
  options.now = [&clock] { return clock; };
  options.serve = [&replica](const Pair& pair) {
    if (!replica.takes) return false;
    replica.served = pair;
    replica.at_serve();
    return true;
  };
  options.doubt = [&replica](const std::string& doubt) { replica.doubt = doubt; };
  options.log = [&replica](const Note& note) {
    std::string line = (note.level == Note::Level::kInfo ? "info: " : "warn: ") + note.message;
    for (const auto& [key, text] : note.fields)
      line += " " + key + "=" + text;
    replica.lines.push_back(line);
  };
  return options;
}

kube::ClientOptions impatient() {
  kube::ClientOptions options;
  options.sleep = [](auto, const auto&) { return true; };
  return options;
}

} // namespace

Replica::Replica(const Cluster& cluster, Time& clock)
    : client_(kube::Client::open(cluster.config(), impatient()).value()),
      keeper_(*client_, options_of(*this, clock)) {}

bool Replica::is_trusted(const Cluster& cluster) const {
  return std::ranges::all_of(std::vector{kMutating, kValidating}, [&](const std::string& path) {
    const auto held = split_certificates(cluster.bundle(path));
    return held && std::ranges::any_of(
                       *held, [&](const std::string& one) { return has_signed(one, served.certificate); });
  });
}

std::size_t Replica::count(const std::string& text) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(lines, [&](const std::string& line) { return line.contains(text); }));
}

} // namespace fluxhook::certs::test
