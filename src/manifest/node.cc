#include "fluxhook/manifest/node.h"

#include <algorithm>
#include <charconv>

#include "manifest/scalar.h"

namespace fluxhook::manifest {

const Node* Node::find(std::string_view key) const {
  const auto found = std::ranges::find(members, key, &Member::key);
  return found == members.end() ? nullptr : &found->value;
}

Node* Node::find(std::string_view key) {
  const auto found = std::ranges::find(members, key, &Member::key);
  return found == members.end() ? nullptr : &found->value;
}

std::string_view Node::get(std::string_view key) const {
  const Node* value = find(key);
  return value != nullptr && value->kind == Kind::kString ? std::string_view(value->text)
                                                          : std::string_view();
}

namespace {

/// The member `key`, looked for at `index` first: where two objects are alike, it is there.
const Node* find_near(const Node& node, std::string_view key, std::size_t index) {
  const bool there = index < node.members.size() && node.members[index].key == key;
  return there ? &node.members[index].value : node.find(key);
}

} // namespace

bool equal(const Node& a, const Node& b) {
  if (a.kind != b.kind) return false;
  const bool same =
      a.text == b.text || (a.kind == Node::Kind::kNumber && format_number(a.text) == format_number(b.text));
  if (!same || a.members.size() != b.members.size()) return false;
  if (!std::ranges::equal(a.items, b.items, equal)) return false;
  for (std::size_t i = 0; i < a.members.size(); ++i) {
    const Node* other = find_near(b, a.members[i].key, i);
    if (other == nullptr || !equal(a.members[i].value, *other)) return false;
  }
  return true;
}

namespace {

/// Takes the first part off a field path: a name, or what stands in brackets.
std::string_view next_part(std::string_view& field) {
  if (field.starts_with('.')) field.remove_prefix(1);
  const bool bracket = field.starts_with('[');
  if (bracket) field.remove_prefix(1);
  const std::size_t end = std::min(field.find_first_of(bracket ? "]" : ".["), field.size());
  const std::string_view part = field.substr(0, end);
  field.remove_prefix(std::min(field.size(), end + (bracket ? 1 : 0)));
  return part;
}

const Node* child(const Node& node, std::string_view part) {
  if (node.kind != Node::Kind::kList) return node.find(part);
  std::size_t index = 0;
  const auto [end, fault] = std::from_chars(part.data(), part.data() + part.size(), index);
  const bool number = fault == std::errc() && end == part.data() + part.size();
  return number && index < node.items.size() ? &node.items[index] : nullptr;
}

} // namespace

const Node& find_field(const Node& root, std::string_view field) {
  const Node* node = &root;
  while (!field.empty()) {
    const Node* next = child(*node, next_part(field));
    if (next == nullptr) break;
    node = next;
  }
  return *node;
}

std::vector<Node*> objects(Node& root) {
  Node* items = root.get("kind").ends_with("List") ? root.find("items") : nullptr;
  if (items == nullptr || items->kind != Node::Kind::kList) return {&root};
  std::vector<Node*> all;
  for (Node& item : items->items) {
    const std::vector<Node*> below = objects(item);
    all.insert(all.end(), below.begin(), below.end());
  }
  return all;
}

} // namespace fluxhook::manifest
