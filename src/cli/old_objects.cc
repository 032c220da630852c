#include "cli/old_objects.h"

#include <algorithm>

#include "cli/subject.h"
#include "fluxhook/manifest/reader.h"

namespace fluxhook::cli {

using manifest::Node;

Result<void> OldObjects::read(const std::string& file, std::istream& standard_input) {
  auto reader = manifest::Reader::open(file, standard_input);
  if (!reader) return std::unexpected(reader.error());
  while (auto document = reader->next()) {
    if (!*document) return std::unexpected(document->error());
    for (Node* object : manifest::objects((*document)->root))
      if (kind_of(*object) == ObjectKind::kJobSet) jobsets_.push_back(std::move(*object));
  }
  if (jobsets_.empty()) return fail(file, "has no JobSet");
  return {};
}

const Node* OldObjects::find(const Node& jobset) const {
  const auto text = [](const Node& object, std::string_view key) {
    const Node* metadata = object.find("metadata");
    return metadata == nullptr ? std::string_view() : metadata->get(key);
  };
  const auto found = std::ranges::find_if(jobsets_, [&](const Node& old) {
    const auto here = text(jobset, "namespace");
    const auto there = text(old, "namespace");
    return text(old, "name") == text(jobset, "name") && (here.empty() || there.empty() || here == there);
  });
  return found == jobsets_.end() ? nullptr : &*found;
}

} // namespace fluxhook::cli
