#include "fluxhook/manifest/patch.h"

#include <charconv>
#include <optional>
#include <string>
#include <string_view>

namespace fluxhook::manifest {
namespace {

/// A part of a JSON pointer (RFC 6901) as what it stands for.
std::string unescaped(std::string_view part) {
  std::string out;
  for (std::size_t i = 0; i < part.size(); ++i) {
    const bool escape = part[i] == '~' && i + 1 < part.size();
    if (escape) out += part[++i] == '1' ? '/' : '~';
    else out += part[i];
  }
  return out;
}

std::optional<std::size_t> index_of(const std::string& part, std::size_t size) {
  std::size_t index = 0;
  const char* const last = part.data() + part.size();
  const auto [end, fault] = std::from_chars(part.data(), last, index);
  if (fault != std::errc() || end != last || index >= size) return {};
  return index;
}

Node* child(Node& node, const std::string& part) {
  if (node.kind != Node::Kind::kList) return node.find(part);
  const auto index = index_of(part, node.items.size());
  return index ? &node.items[*index] : nullptr;
}

/// Whether `value` could be added to `parent` as `part`.
bool add(Node& parent, const std::string& part, const Node& value) {
  if (parent.kind == Node::Kind::kObject) {
    if (Node* const there = parent.find(part)) *there = value;
    else parent.members.push_back({.key = part, .at = {}, .value = value});
    return true;
  }
  const auto index =
      part == "-" ? std::optional(parent.items.size()) : index_of(part, parent.items.size() + 1);
  if (parent.kind != Node::Kind::kList || !index) return false;
  parent.items.insert(parent.items.begin() + static_cast<std::ptrdiff_t>(*index), value);
  return true;
}

bool apply(Node& root, std::string_view op, std::string_view path, const Node& value) {
  Node* parent = &root;
  while (true) {
    if (!path.starts_with('/')) return false;
    path.remove_prefix(1);
    const std::size_t end = path.find('/');
    const std::string part = unescaped(path.substr(0, end));
    Node* const there = child(*parent, part);
    if (end == path.npos) {
      if (op == "add") return add(*parent, part, value);
      if (op != "replace" || there == nullptr) return false;
      *there = value;
      return true;
    }
    if (there == nullptr) return false;
    parent = there;
    path.remove_prefix(end);
  }
}

} // namespace

Result<void> apply_patch(Node& root, const Node& patch) {
  for (const Node& operation : patch.items) {
    const Node* const value = operation.find("value");
    const auto path = operation.get("path");
    if (value == nullptr || !apply(root, operation.get("op"), path, *value))
      return fail(std::string(path), "the patch can't be applied here");
  }
  return {};
}

} // namespace fluxhook::manifest
