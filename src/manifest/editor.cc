#include "manifest/editor.h"

#include <algorithm>
#include <utility>

namespace fluxhook::manifest {
namespace {

using Style = Layout::Style;
using Kind = Node::Kind;

/// Whether the items of two lists are one and the same thing, changed or not: Kubernetes' lists have names.
bool corresponds(const Node& a, const Node& b) {
  const auto name = a.get("name");
  return name.empty() ? equal(a, b) : name == b.get("name");
}

/// What the objects give together, of which the first goes before the others.
Node merged(const std::vector<const Node*>& objects) {
  Node all{.kind = Kind::kObject, .at = {}, .text = {}};
  for (const Node* object : objects)
    for (const Member& member : object->members)
      if (all.find(member.key) == nullptr) all.members.push_back(member);
  return all;
}

} // namespace

Editor::Editor(const std::string& text, const std::vector<Layout>& layout)
    : text_(text), layout_(layout), edits_(text),
      has_aliases_(std::ranges::contains(layout, Style::kAlias, &Layout::style)), after_(layout.size()) {
  bool step = false, list = false; // found
  for (const Layout& object : layout) {
    if (object.style != Style::kBlockObject) continue;
    const std::size_t column = column_of(text, object.begin);
    for (std::size_t i = 1; i < object.children.size(); i += 2) {
      const Layout& value = child(object, i);
      const std::size_t there = column_of(text, value.begin);
      if (value.style == Style::kBlockObject && there > column && !std::exchange(step, true))
        indents_.step = there - column;
      if (value.style == Style::kBlockList && there >= column && !std::exchange(list, true))
        indents_.list = there - column;
    }
  }
}

std::optional<std::string> Editor::edit(const Node& before, const Node& after) {
  if (!visit(0, before, after, {})) return {};
  end_last_block();
  return edits_.apply();
}

bool Editor::visit(std::size_t index, const Node& before, const Node& after, Place place) {
  const Layout& node = layout_[index];
  after_[index] = &after;
  if (node.style == Style::kAlias) {
    const Node* const target = after_[node.target];
    return equal(target == nullptr ? before : *target, after) || put(node, after, place);
  }
  if (!has_aliases_ && equal(before, after)) return true;
  const bool empty = node.children.empty() && !place.in_flow; // is better filled in block style
  if (node.is_list() && after.kind == Kind::kList && !empty) return visit_list(node, before, after, place);
  if (node.is_object() && after.kind == Kind::kObject && !empty) return visit_object(node, before, after);
  return equal(before, after) || put(node, after, place);
}

/// Items are added, or changed; where it is not clear which, the list is written anew.
bool Editor::visit_list(const Layout& list, const Node& before, const Node& after, Place place) {
  const std::size_t had = before.items.size(), has = after.items.size(), shorter = std::min(had, has);
  if (list.children.size() != had) return false;
  std::size_t first = 0, last = 0; // alike from the front, and from the back
  while (first < shorter && corresponds(before.items[first], after.items[first]))
    ++first;
  while (last < shorter - first && corresponds(before.items[had - 1 - last], after.items[has - 1 - last]))
    ++last;
  if (first + last < had && (had != has || is_words(list))) return put(list, after, place);
  const Place inside{list.is_flow(), true, column_of(text_, list.begin)};
  const auto visit_item = [&](std::size_t i, std::size_t shift) {
    return visit(list.children[i], before.items[i], after.items[i + shift], inside);
  };
  const std::size_t front = had - last;
  for (std::size_t i = 0; i < front; ++i)
    if (!visit_item(i, 0)) return false;
  if (has > had) {
    Node added{.kind = Kind::kList, .at = {}, .text = {}};
    for (std::size_t i = front; i < has - last; ++i)
      added.items.push_back(after.items[i]);
    add_items(list, front, added);
  }
  for (std::size_t i = front; i < had; ++i)
    if (!visit_item(i, has - had)) return false;
  return true;
}

/// Whether a list holds nothing but scalars: another word in the place of one is not that one changed, and
/// the comments beside it are not about it. One that is used elsewhere has to stay in its place.
bool Editor::is_words(const Layout& list) const {
  const auto is_word = [&](std::size_t item) {
    return !layout_[item].is_list() && !layout_[item].is_object();
  };
  const auto stands_for_one = [&](const Layout& one) {
    return one.style == Style::kAlias && std::ranges::binary_search(list.children, one.target);
  };
  return std::ranges::all_of(list.children, is_word) &&
         !(has_aliases_ && std::ranges::any_of(layout_, stands_for_one));
}

bool Editor::visit_object(const Layout& object, const Node& before, const Node& after) {
  for (std::size_t i = 0; i + 1 < object.children.size(); i += 2) {
    const Layout& key = child(object, i);
    if (key.merge) continue;
    const Node* const was = before.find(key.text);
    const Node* const is = after.find(key.text);
    const Place place{object.is_flow(), false, column_of(text_, object.begin)};
    if (was == nullptr || is == nullptr || !visit(object.children[i + 1], *was, *is, place)) return false;
  }
  const Node given = inherited(object, before);
  Node added{.kind = Kind::kObject, .at = {}, .text = {}};
  Node not_own = added;
  for (const Member& member : after.members) {
    if (owns(object, member.key)) continue;
    not_own.members.push_back(member);
    const Node* const there = given.find(member.key);
    if (there == nullptr || !equal(*there, member.value)) added.members.push_back(member);
  }
  const bool too_much = std::ranges::any_of(given.members, [&](const Member& one) {
    return !owns(object, one.key) && after.find(one.key) == nullptr;
  });
  if (too_much) return write_out_merge(object, not_own);
  if (!added.members.empty()) add_members(object, added);
  return true;
}

bool Editor::owns(const Layout& object, std::string_view key) const {
  for (std::size_t i = 0; i < object.children.size(); i += 2)
    if (!child(object, i).merge && child(object, i).text == key) return true;
  return false;
}

/// What the merge keys of an object will give.
Node Editor::inherited(const Layout& object, const Node& before) const {
  std::vector<const Node*> sources;
  const auto add = [&](const Layout& value) {
    sources.push_back(value.style == Style::kAlias ? after_[value.target] : nullptr);
  };
  for (std::size_t i = 0; i < object.children.size(); i += 2) {
    if (!child(object, i).merge) continue;
    const Layout& value = child(object, i + 1);
    if (value.is_list())
      for (const std::size_t item : value.children)
        add(layout_[item]);
    else add(value);
  }
  // What stands there in full, or was not gone over, stays.
  return std::ranges::contains(sources, nullptr) ? merged({&before}) : merged(sources);
}

} // namespace fluxhook::manifest
