#include "migrate/fields.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "fluxhook/base/text.h"
#include "migrate/shapes.h"

namespace fluxhook::migrate {
namespace {

/// Takes the first key off a pattern.
std::string_view next_key(std::string_view& pattern) {
  const std::size_t dot = std::min(pattern.find('.'), pattern.size());
  const std::string_view key = pattern.substr(0, dot);
  pattern.remove_prefix(std::min(pattern.size(), dot + 1));
  return key;
}

/// A row, and what of its path is still to come.
struct Open {
  const Row* row = nullptr;
  std::string_view rest;
};

class Walker {
public:
  explicit Walker(Migration& migration) : migration_(migration) {}

  void walk(const Node& node, const std::string& field, const std::vector<Open>& rows) {
    for (const Member& member : node.members)
      step(member.value, member.key, field_of(field, member.key), rows);
    for (std::size_t i = 0; i < node.items.size(); ++i)
      step(node.items[i], "*", field_of(field, i), rows);
  }

private:
  void step(const Node& value, std::string_view key, const std::string& field,
            const std::vector<Open>& rows) {
    std::vector<Open> below;
    for (Open open : rows) {
      const std::string_view wanted = next_key(open.rest);
      if (wanted != "*" && !std::ranges::contains(split(wanted, '|'), key)) continue;
      if (open.rest.empty()) return apply(*open.row, value, field);
      below.push_back(open);
    }
    if (below.empty()) return migration_.note(Fate::kDropped, field, "fluxhook does not know this field");
    if (value.members.empty() && value.items.empty())
      return migration_.note(Fate::kDropped, field,
                             is_blank(&value) ? "it is empty" : "it has the wrong type");
    walk(value, field, below);
  }

  void apply(const Row& row, const Node& value, const std::string& field) {
    const bool off =
        is_blank(&value) || (!row.default_value.empty() && scalar_text(&value) == row.default_value);
    const std::string off_text = is_blank(&value) ? "it is off or empty" : "it is the default";
    switch (row.action) {
    case Action::kCopy:
      if (value.kind == Node::Kind::kNull) return migration_.note(Fate::kDropped, field, "it is null");
      if (const auto wrong = wrong_shape(row.text, value))
        return migration_.note(Fate::kDecide, field, "it is left out: " + *wrong);
      return migration_.note(Fate::kCarried, field, migration_.put_at(row.text, value));
    case Action::kSetting:
      if (off) return migration_.note(Fate::kDropped, field, off_text);
      return migration_.set(row.text, scalar_text(&value), field);
    case Action::kCode: return;
    case Action::kDrop: return migration_.note(Fate::kDropped, field, row.text);
    case Action::kChange:
    case Action::kDecide:
      if (off) return migration_.note(Fate::kDropped, field, off_text);
      return migration_.note(row.action == Action::kChange ? Fate::kChanged : Fate::kDecide, field, row.text);
    }
  }

  Migration& migration_;
};

constexpr std::string_view kServers = "the API server sets it";

constexpr std::array kCommon{
    Row{"apiVersion", Action::kCode, {}, {}},
    Row{"kind", Action::kCode, {}, {}},
    Row{"metadata.name", Action::kCopy, "metadata.name", {}},
    Row{"metadata.generateName", Action::kCopy, "metadata.generateName", {}},
    Row{"metadata.namespace", Action::kCopy, "metadata.namespace", {}},
    Row{"metadata.labels", Action::kCode, {}, {}},
    Row{"metadata.annotations", Action::kCode, {}, {}},
    Row{"metadata.finalizers", Action::kDrop, "another controller waits for them", {}},
    Row{"metadata.ownerReferences",
        Action::kDecide,
        "who owns the object can't own another kind without knowing it",
        {}},
    Row{"metadata.uid", Action::kDrop, kServers, {}},
    Row{"metadata.resourceVersion", Action::kDrop, kServers, {}},
    Row{"metadata.generation", Action::kDrop, kServers, {}},
    Row{"metadata.creationTimestamp", Action::kDrop, kServers, {}},
    Row{"metadata.deletionTimestamp", Action::kDrop, kServers, {}},
    Row{"metadata.deletionGracePeriodSeconds", Action::kDrop, kServers, {}},
    Row{"metadata.selfLink", Action::kDrop, kServers, {}},
    Row{"metadata.managedFields", Action::kDrop, kServers, {}},
    Row{"status", Action::kDrop, "it is what has been, not what is asked for", {}},
};

} // namespace

void apply_rows(Migration& migration, std::initializer_list<std::span<const Row>> tables) {
  std::vector<Open> all;
  for (const auto table : tables)
    for (const Row& row : table)
      all.push_back({&row, row.path});
  Walker(migration).walk(migration.source(), {}, all);
}

std::span<const Row> common_rows() { return kCommon; }

} // namespace fluxhook::migrate
