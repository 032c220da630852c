#include "manifest/members.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "fluxhook/base/text.h"
#include "fluxhook/manifest/reader.h"

namespace fluxhook::manifest {
namespace {

std::string line_of(Position at) {
  return "line " + std::to_string(at.line) + ", column " + std::to_string(at.column);
}

/// The objects that a merge key's value holds; empty when it holds anything else.
std::vector<const Node*> merged_objects(const Node& value) {
  if (value.kind == Node::Kind::kObject) return {&value};
  std::vector<const Node*> all;
  for (const Node& item : value.items) {
    if (item.kind != Node::Kind::kObject) return {};
    all.push_back(&item);
  }
  return all;
}

/// Key → index of the member that has it, or that has merged it.
using KeyIndex = std::unordered_map<std::string_view, std::size_t>;

/// Appends to `out` what the merge key members[merge] adds.
Result<void> add_merged(const std::vector<Member>& members, std::size_t merge, KeyIndex& index,
                        std::vector<Member>& out, std::string_view file) {
  const Member& key = members[merge];
  const auto objects = merged_objects(key.value);
  if (objects.empty()) return fail(place(file, key.at), "<< takes an object, or a list of objects");
  for (const Node* object : objects) {
    for (const Member& member : object->members) {
      const auto [there, added] = index.emplace(member.key, merge);
      if (added) {
        out.push_back(member);
      } else if (there->second < merge) {
        return fail(place(file, key.at),
                    "<< has the key " + in_quotes(member.key) + " of " + line_of(members[there->second].at) +
                        " too, and readers differ in which one counts: put << before it");
      }
    }
  }
  return {};
}

} // namespace

Result<void> check_unique(const std::vector<Member>& members, std::string_view file) {
  std::vector<const Member*> sorted(members.size());
  std::ranges::transform(members, sorted.begin(), [](const Member& member) { return &member; });
  const auto key = [](const Member* member) -> std::string_view { return member->key; };
  std::ranges::stable_sort(sorted, {}, key);
  const auto twice = std::ranges::adjacent_find(sorted, {}, key);
  if (twice == sorted.end()) return {};
  return fail(place(file, (*(twice + 1))->at), "the key " + in_quotes((*twice)->key) +
                                                   " is here a second time, first in " +
                                                   line_of((*twice)->at));
}

Result<void> expand_merges(std::vector<Member>& members, const std::vector<std::size_t>& merges,
                           std::string_view file) {
  KeyIndex index;
  for (std::size_t i = 0; i < members.size(); ++i)
    index.emplace(members[i].key, i);
  std::vector<Member> result;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (!std::ranges::contains(merges, i)) {
      result.push_back(members[i]);
    } else if (auto added = add_merged(members, i, index, result, file); !added) {
      return added;
    }
  }
  members = std::move(result);
  return {};
}

} // namespace fluxhook::manifest
