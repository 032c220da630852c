#include "reapply.h"

#include <algorithm>
#include <string>

namespace fluxhook::test {
namespace {

using nlohmann::json;

// The CRD's own default, applied before admission.
json with_crd_defaults(json object) {
  for (auto& job : object["spec"]["replicatedJobs"]) {
    if (!job.contains("groupName")) job["groupName"] = "default";
    if (!job.contains("replicas")) job["replicas"] = 1;
  }
  return object;
}

const char* list_key(const json& list) {
  if (list.empty() || !list[0].is_object()) return nullptr;
  if (list[0].contains("mountPath")) return "mountPath";
  return list[0].contains("name") ? "name" : nullptr;
}

json merge(const json& applied, const json& live) {
  if (applied.is_object() && live.is_object()) {
    json out = live;
    for (const auto& [key, value] : applied.items())
      out[key] = live.contains(key) ? merge(value, live[key]) : value;
    return out;
  }
  const auto* key = applied.is_array() && live.is_array() ? list_key(applied) : nullptr;
  if (key == nullptr) return applied;
  json out = live;
  for (const auto& item : applied) {
    const auto same = std::ranges::find_if(out, [&](const json& one) { return one[key] == item[key]; });
    if (same == out.end()) out.push_back(item);
    else *same = merge(item, *same);
  }
  return out;
}

} // namespace

json client_side_apply(const json& manifest, const json& stored) {
  json out = stored;
  out.merge_patch(with_crd_defaults(manifest));
  return out;
}

json server_side_apply(const json& manifest, const json& stored) {
  return merge(with_crd_defaults(manifest), stored);
}

json replace(const json& manifest, const json& stored) {
  json out = with_crd_defaults(manifest);
  out["metadata"]["resourceVersion"] = stored["metadata"]["resourceVersion"];
  return out;
}

json stored(json object) {
  object["metadata"]["uid"] = "72f002e3-300c-456a-beab-f62e80900731";
  object["metadata"]["resourceVersion"] = "1704";
  object["metadata"]["generation"] = 1;
  return with_crd_defaults(std::move(object));
}

} // namespace fluxhook::test
