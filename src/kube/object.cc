#include "fluxhook/kube/object.h"

#include "kube/escape.h"
#include "kube/json.h"

namespace fluxhook::kube {

std::string path_of(const Resource& resource, std::string_view name_space, std::string_view name) {
  std::string path = resource.group.empty() ? "/api" : "/apis";
  const auto add = [&](std::string_view part) {
    path += '/';
    path += escaped(part, ":");
  };
  if (!resource.group.empty()) add(resource.group);
  add(resource.version);
  if (!name_space.empty()) {
    add("namespaces");
    add(name_space);
  }
  add(resource.plural);
  if (!name.empty()) add(name);
  return path;
}

Result<ObjectMeta> read_meta(std::string_view text) {
  // All but the four values is dropped as it is read, managedFields among it.
  const auto wanted = [](int depth, json::parse_event_t event, json& value) {
    if (event != json::parse_event_t::key) return true;
    const auto& key = value.get_ref<const std::string&>();
    if (depth == 1) return key == "metadata";
    return depth != 2 || key == "name" || key == "namespace" || key == "uid" || key == "resourceVersion";
  };
  const json object = json::parse(text, wanted, false);
  if (object.is_discarded()) return fail("", "an object that is no JSON");
  const json* const metadata = member(object, "metadata");
  if (metadata == nullptr || !metadata->is_object()) return fail("", "an object without metadata");
  return ObjectMeta{text_of(*metadata, "namespace"), text_of(*metadata, "name"), text_of(*metadata, "uid"),
                    text_of(*metadata, "resourceVersion")};
}

} // namespace fluxhook::kube
