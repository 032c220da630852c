#include "companion/cluster.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <format>

namespace fluxhook::companion::test {

using kube::test::answer;
using kube::test::chunk;

namespace {

using namespace std::chrono_literals;

constexpr auto kLong = 60s; ///< nothing takes so long, unless it never comes

std::string list_path(const Json& object) {
  static const std::map<std::string, std::string> paths{
      {"JobSet", "/apis/jobset.x-k8s.io/v1alpha2/namespaces/{}/jobsets"},
      {"ConfigMap", "/api/v1/namespaces/{}/configmaps"},
      {"Secret", "/api/v1/namespaces/{}/secrets"},
      {"Lease", "/apis/coordination.k8s.io/v1/namespaces/{}/leases"},
      {"Event", "/apis/events.k8s.io/v1/namespaces/{}/events"}};
  std::string path = paths.at(object["kind"]);
  const auto name_space = object["metadata"]["namespace"].get<std::string>();
  return path.replace(path.find("{}"), 2, name_space);
}

/// Whether an object's path is below a list's; a list without a namespace has them all.
bool is_in(const std::string& path, const std::string& list) {
  if (list.contains("/namespaces/")) return path.substr(0, path.rfind('/')) == list;
  const std::size_t at = list.rfind('/');
  return path.starts_with(list.substr(0, at) + "/namespaces/") &&
         path.substr(0, path.rfind('/')).ends_with(list.substr(at));
}

/// `key in (a,b)` or `key=a`; "" selects all.
bool selects(const std::string& selector, const Json& object) {
  if (selector.empty()) return true;
  const std::string key = selector.substr(0, selector.find_first_of(" ="));
  const Json labels = object["metadata"].value("labels", Json::object());
  if (!labels.contains(key)) return false;
  const auto value = labels[key].get<std::string>();
  if (!selector.contains(" in (")) return selector == key + "=" + value;
  const std::string values = selector.substr(selector.find('(') + 1);
  return ("," + values.substr(0, values.size() - 1) + ",").contains("," + value + ",");
}

bool is_wanted(const Call& call, const std::string& path, const Json& object) {
  const std::string field = call.parameter("fieldSelector");
  if (!field.empty() && field != "metadata.name=" + object["metadata"]["name"].get<std::string>())
    return false;
  return is_in(path, call.path()) && selects(call.parameter("labelSelector"), object);
}

Json shown(const Call& call, const Json& object) {
  if (!call.header("Accept").contains("as=PartialObjectMetadata")) return object;
  return {
      {"kind", "PartialObjectMetadata"}, {"apiVersion", "meta.k8s.io/v1"}, {"metadata", object["metadata"]}};
}

std::string not_found() { return refusal(404, "NotFound", "not found"); }

} // namespace

Cluster::Cluster()
    : server_(std::make_unique<kube::test::ApiServer>(
          [this](const Call& call, Peer& peer) { serve(call, peer); })) {}

Cluster::~Cluster() {
  {
    const std::scoped_lock lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  server_.reset();
}

kube::Config Cluster::config(const std::string& token) const {
  kube::Config config = server_->config();
  config.token = token;
  return config;
}

void Cluster::set_fault(Fault fault) {
  const std::scoped_lock lock(mutex_);
  fault_ = std::move(fault);
}

void Cluster::set_loss(std::function<bool(const Call&)> loss) {
  const std::scoped_lock lock(mutex_);
  loss_ = std::move(loss);
}

void Cluster::store(const std::string& path, Json object) {
  Json& metadata = object["metadata"];
  if (!metadata.contains("uid")) metadata["uid"] = std::format("made-{}", ++uids_);
  metadata["resourceVersion"] = std::to_string(changes_.size() + 1);
  const char* const type = objects_.contains(path) ? "MODIFIED" : "ADDED";
  objects_[path] = object;
  changes_.push_back({type, path, std::move(object)});
  changed_.notify_all();
}

void Cluster::erase_path(const std::string& path) {
  Json object = objects_.at(path);
  object["metadata"]["resourceVersion"] = std::to_string(changes_.size() + 1);
  objects_.erase(path);
  changes_.push_back({"DELETED", path, std::move(object)});
  changed_.notify_all();
}

void Cluster::put(const Json& object) {
  const std::scoped_lock lock(mutex_);
  store(list_path(object) + "/" + object["metadata"]["name"].get<std::string>(), object);
}

void Cluster::remove(const std::string& path) {
  const std::scoped_lock lock(mutex_);
  erase_path(path);
}

void Cluster::collect() {
  const std::scoped_lock lock(mutex_);
  std::vector<std::string> uids, orphans;
  for (const auto& [path, object] : objects_)
    if (object["kind"] == "JobSet") uids.push_back(object["metadata"]["uid"]);
  for (const auto& [path, object] : objects_)
    if (!owner(object).empty() && !std::ranges::contains(uids, owner(object))) orphans.push_back(path);
  for (const std::string& path : orphans)
    erase_path(path);
}

std::optional<Json> Cluster::get(const std::string& path) const {
  const std::scoped_lock lock(mutex_);
  const auto found = objects_.find(path);
  if (found == objects_.end()) return {};
  return found->second;
}

Json Cluster::wait_for(const std::string& path, const std::function<bool(const Json&)>& is) const {
  Json object;
  const bool came = wait_until([&] {
    object = get(path).value_or(Json());
    return !object.is_null() && is(object);
  });
  return came ? object : Json();
}

bool Cluster::wait_until(const std::function<bool()>& is) const {
  const auto end = std::chrono::steady_clock::now() + kLong;
  while (!is()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, 5ms);
  }
  return true;
}

std::vector<Json> Cluster::all(const std::string& kind) const {
  const std::scoped_lock lock(mutex_);
  std::vector<Json> found;
  for (const auto& [path, object] : objects_)
    if (object["kind"] == kind) found.push_back(object);
  return found;
}

std::size_t Cluster::count(const std::string& method, const std::string& end) const {
  const std::scoped_lock lock(mutex_);
  return static_cast<std::size_t>(std::ranges::count_if(
      calls_, [&](const Call& call) { return call.method == method && call.path().ends_with(end); }));
}

std::size_t Cluster::creates(const std::string& name) const {
  const std::scoped_lock lock(mutex_);
  return static_cast<std::size_t>(std::ranges::count_if(calls_, [&](const Call& call) {
    return call.method == "POST" && call.body.contains("\"name\":\"" + name + "\"");
  }));
}

std::size_t Cluster::stored(const std::string& path) const {
  const std::scoped_lock lock(mutex_);
  return static_cast<std::size_t>(std::ranges::count_if(
      changes_, [&](const Change& change) { return change.path == path && change.type == "ADDED"; }));
}

void Cluster::serve(const Call& call, Peer& peer) {
  if (call.parameter("watch") == "true") return serve_watch(call, peer);
  std::string reply;
  {
    const std::scoped_lock lock(mutex_);
    calls_.push_back(call);
    const auto fault = fault_ ? fault_(call) : std::nullopt;
    reply = fault ? *fault : carry_out(call);
    if (!fault && loss_ && loss_(call)) reply.clear();
  }
  changed_.notify_all();
  if (reply.empty()) peer.cut();
  else peer.send(reply);
}

void Cluster::serve_watch(const Call& call, Peer& peer) {
  std::unique_lock lock(mutex_);
  calls_.push_back(call);
  if (const auto fault = fault_ ? fault_(call) : std::nullopt) {
    lock.unlock();
    if (fault->empty()) peer.cut();
    else peer.send(*fault);
    return;
  }
  std::size_t at = std::stoul(call.parameter("resourceVersion"));
  std::string bytes = kube::test::chunked_head();
  while (!closing_) {
    for (; at < changes_.size(); ++at) {
      const Change& change = changes_[at];
      if (!is_wanted(call, change.path, change.object)) continue;
      bytes += chunk(Json{{"type", change.type}, {"object", shown(call, change.object)}}.dump() + "\n");
    }
    lock.unlock();
    // A bookmark now and then tells whether the client is still there.
    bytes +=
        chunk(std::format(R"({{"type":"BOOKMARK","object":{{"metadata":{{"resourceVersion":"{}"}}}}}})", at) +
              "\n");
    if (!peer.send(bytes)) return;
    bytes.clear();
    lock.lock();
    changed_.wait_for(lock, 20ms, [&] { return closing_ || at < changes_.size(); });
  }
}

std::string Cluster::carry_out(const Call& call) {
  if (call.method == "POST") return create(call);
  if (call.method == "PUT") return update(call);
  if (call.method == "DELETE") return erase(call);
  const auto found = objects_.find(call.path());
  if (found != objects_.end()) return answer(200, found->second.dump());
  static constexpr std::array kLists{"/jobsets", "/configmaps", "/secrets"};
  const bool is_list =
      std::ranges::any_of(kLists, [&](const char* end) { return call.path().ends_with(end); });
  return is_list ? list(call) : not_found();
}

std::string Cluster::create(const Call& call) {
  Json object = Json::parse(call.body);
  Json& metadata = object["metadata"];
  if (!metadata.contains("name"))
    metadata["name"] = metadata["generateName"].get<std::string>() + std::to_string(changes_.size());
  const std::string after = call.path().substr(call.path().find("/namespaces/") + 12);
  metadata["namespace"] = after.substr(0, after.find('/'));
  const std::string path = call.path() + "/" + metadata["name"].get<std::string>();
  if (objects_.contains(path)) return refusal(409, "AlreadyExists", "already exists");
  store(path, std::move(object));
  return answer(201, objects_.at(path).dump());
}

std::string Cluster::update(const Call& call) {
  const Json object = Json::parse(call.body);
  const auto found = objects_.find(call.path());
  if (found == objects_.end()) return not_found();
  if (found->second["metadata"]["resourceVersion"] != object["metadata"]["resourceVersion"])
    return refusal(409, "Conflict", "the object has been modified");
  store(call.path(), object);
  return answer(200, objects_.at(call.path()).dump());
}

std::string Cluster::erase(const Call& call) {
  const auto found = objects_.find(call.path());
  if (found == objects_.end()) return not_found();
  const Json body = Json::parse(call.body);
  const auto uid = body.value("/preconditions/uid"_json_pointer, std::string());
  if (!uid.empty() && found->second["metadata"]["uid"] != uid)
    return refusal(409, "Conflict", "the UID in the precondition does not match");
  erase_path(call.path());
  return answer(200, R"({"kind":"Status","status":"Success"})");
}

std::string Cluster::list(const Call& call) const {
  Json items = Json::array();
  for (const auto& [path, object] : objects_)
    if (is_wanted(call, path, object)) items.push_back(shown(call, object));
  return answer(200, Json{{"kind", "List"},
                          {"apiVersion", "v1"},
                          {"metadata", {{"resourceVersion", std::to_string(changes_.size())}}},
                          {"items", items}}
                         .dump());
}

} // namespace fluxhook::companion::test
