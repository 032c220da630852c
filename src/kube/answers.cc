#include "kube/answers.h"

#include "fluxhook/base/text.h"
#include "kube/json.h"
#include "kube/status.h"

namespace fluxhook::kube {

Result<void> PageReader::feed(std::string_view bytes) {
  return splitter_.feed(bytes, [&](std::string_view text) -> Result<void> {
    auto meta = read_meta(text);
    if (!meta) return std::unexpected(meta.error());
    item_({std::move(*meta), text});
    return {};
  });
}

Result<PageEnd> PageReader::end() const {
  const json rest = parse_json(splitter_.rest());
  const json* const metadata = member(rest, "metadata");
  if (metadata == nullptr || member(rest, "items") == nullptr) return fail("", "the answer is no list");
  return PageEnd{text_of(*metadata, "resourceVersion"), text_of(*metadata, "continue")};
}

Result<void> EventReader::feed(std::string_view bytes) {
  return splitter_.feed(bytes, [&](std::string_view text) { return take(text); });
}

Result<void> EventReader::take(std::string_view text) {
  const auto type = raw_member(text, "type"), object = raw_member(text, "object");
  if (!type || !object)
    return fail("", "a watch event without type and object: " + printable(cut(text, 100)));
  if (*type == "\"ERROR\"") {
    error_ = read_status(*object, 0, "");
    return fail("", "the last event");
  }
  WatchEvent event;
  if (*type == "\"ADDED\"") event.type = EventType::kAdded;
  else if (*type == "\"MODIFIED\"") event.type = EventType::kModified;
  else if (*type == "\"DELETED\"") event.type = EventType::kDeleted;
  else if (*type == "\"BOOKMARK\"") event.type = EventType::kBookmark;
  else return {}; // of a later API
  auto meta = read_meta(*object);
  if (!meta) return std::unexpected(meta.error());
  event.item = {std::move(*meta), *object};
  event_(event);
  return {};
}

} // namespace fluxhook::kube
