#include "kube/known.h"

namespace fluxhook::kube {

namespace {

std::string key_of(const ObjectMeta& meta) { return meta.name_space + "/" + meta.name; }

} // namespace

Item Known::gone(const std::string& key, const Object& object) {
  const std::size_t slash = key.find('/');
  return {{key.substr(0, slash), key.substr(slash + 1), object.uid, object.resource_version}, {}};
}

void Known::put(const Item& item) {
  const auto [found, added] = objects_.try_emplace(key_of(item.meta));
  Object& object = found->second;
  const bool replaced = !added && object.uid != item.meta.uid;
  const bool changed = !added && object.resource_version != item.meta.resource_version;
  if (replaced) tell_(Change::kDeleted, gone(found->first, object));
  object = {item.meta.uid, item.meta.resource_version, list_};
  if (added || replaced) tell_(Change::kAdded, item);
  else if (changed) tell_(Change::kModified, item);
}

void Known::end_list() {
  for (auto at = objects_.begin(); at != objects_.end();) {
    if (at->second.list == list_) {
      ++at;
      continue;
    }
    const Item item = gone(at->first, at->second);
    at = objects_.erase(at);
    tell_(Change::kDeleted, item);
  }
}

void Known::take(const WatchEvent& event) {
  switch (event.type) {
  case EventType::kAdded:
  case EventType::kModified: put(event.item); break;
  case EventType::kDeleted:
    if (objects_.erase(key_of(event.item.meta)) != 0) tell_(Change::kDeleted, event.item);
    break;
  case EventType::kBookmark: break;
  }
}

} // namespace fluxhook::kube
