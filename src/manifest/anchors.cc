#include "manifest/anchors.h"

#include "fluxhook/manifest/reader.h"

namespace fluxhook::manifest {
namespace {

/// How many values a copy of `node` costs; long texts count as several.
std::size_t weight_of(const Node& node) {
  std::size_t weight = 1 + node.text.size() / 64;
  for (const Node& item : node.items)
    weight += weight_of(item);
  for (const Member& member : node.members)
    weight += member.key.size() / 64 + weight_of(member.value);
  return weight;
}

} // namespace

void Anchors::open(std::string_view name) { anchors_.insert_or_assign(std::string(name), Anchor{}); }

Result<void> Anchors::set(std::string_view name, const Node& node) {
  const std::size_t weight = weight_of(node);
  if (auto paid = spend(weight); !paid) return paid;
  anchors_.insert_or_assign(std::string(name), Anchor{node, weight});
  return {};
}

Result<void> Anchors::close(std::string_view name, const Node& node) {
  const auto opened = anchors_.find(name);
  const bool taken_over = opened != anchors_.end() && opened->second.node;
  return taken_over ? Result<void>() : set(name, node);
}

Result<Node> Anchors::get(std::string_view name) {
  const auto found = anchors_.find(name);
  if (found == anchors_.end()) return fail({}, "no anchor &" + std::string(name) + " above this alias");
  const Anchor& anchor = found->second;
  if (!anchor.node) return fail({}, "the anchor &" + std::string(name) + " contains itself");
  if (auto paid = spend(anchor.weight); !paid) return std::unexpected(paid.error());
  return *anchor.node;
}

Result<void> Anchors::spend(std::size_t weight) {
  spent_ += weight;
  if (spent_ <= kMaxAliased) return {};
  return fail({}, "the document's aliases stand for more than " + std::to_string(kMaxAliased) + " values");
}

} // namespace fluxhook::manifest
