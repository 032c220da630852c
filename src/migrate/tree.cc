#include "migrate/tree.h"

#include <algorithm>

#include "fluxhook/base/text.h"
#include "migrate/shapes.h"

namespace fluxhook::migrate {

Node text_node(std::string_view text) {
  return {.kind = Node::Kind::kString, .at = {}, .text = std::string(text), .items = {}, .members = {}};
}

Node number_node(std::int64_t number) {
  return {.kind = Node::Kind::kNumber, .at = {}, .text = std::to_string(number), .items = {}, .members = {}};
}

Node list_node(std::vector<Node> items) {
  return {.kind = Node::Kind::kList, .at = {}, .text = {}, .items = std::move(items), .members = {}};
}

Node words_node(const std::vector<std::string>& words) {
  std::vector<Node> items;
  items.reserve(words.size());
  for (const std::string& word : words)
    items.push_back(text_node(word));
  return list_node(std::move(items));
}

Node object_node(std::initializer_list<std::pair<std::string_view, Node>> members) {
  Node node{.kind = Node::Kind::kObject, .at = {}, .text = {}, .items = {}, .members = {}};
  for (const auto& [key, value] : members)
    node.members.push_back({std::string(key), {}, value});
  return node;
}

Node& put(Node& object, std::string_view key, Node value) {
  Node* const there = object.find(key);
  if (there != nullptr) return *there = std::move(value);
  object.kind = Node::Kind::kObject;
  return object.members.emplace_back(std::string(key), manifest::Position{}, std::move(value)).value;
}

Node& object_at(Node& object, std::string_view key) {
  Node* const there = object.find(key);
  return there != nullptr && there->kind == Node::Kind::kObject ? *there : put(object, key, object_node({}));
}

Node& list_at(Node& object, std::string_view key) {
  Node* const there = object.find(key);
  return there != nullptr && there->kind == Node::Kind::kList ? *there : put(object, key, list_node({}));
}

void put_path(Node& object, std::string_view path, Node value) {
  const std::size_t dot = path.find('.');
  if (dot == path.npos) put(object, path, std::move(value));
  else put_path(object_at(object, path.substr(0, dot)), path.substr(dot + 1), std::move(value));
}

void erase(Node& object, std::string_view key) {
  std::erase_if(object.members, [&](const Member& member) { return member.key == key; });
}

Node* named(Node* list, std::string_view name) {
  if (list == nullptr) return nullptr;
  const auto found = std::ranges::find(list->items, name, [](const Node& item) { return item.get("name"); });
  return found == list->items.end() ? nullptr : &*found;
}

const Node* at_path(const Node& object, std::string_view path) {
  const Node* node = &object;
  for (const std::string_view key : split(path, '.')) {
    node = node->find(key);
    if (node == nullptr) return nullptr;
  }
  return node;
}

bool is_blank(const Node* value) {
  if (value == nullptr) return true;
  switch (value->kind) {
  case Node::Kind::kNull: return true;
  case Node::Kind::kBool: return value->text == "false";
  case Node::Kind::kNumber: return false;
  case Node::Kind::kString: return value->text.empty();
  case Node::Kind::kList: return value->items.empty();
  case Node::Kind::kObject: return value->members.empty();
  }
  return false;
}

bool is_true(const Node* value) {
  return value != nullptr && value->kind == Node::Kind::kBool && value->text == "true";
}

std::string_view scalar_text(const Node* value) {
  return value != nullptr && value->items.empty() && value->members.empty() ? std::string_view(value->text)
                                                                            : std::string_view();
}

Result<std::int64_t> integer(const Node* value, std::int64_t absent, std::string_view field,
                             std::int64_t least) {
  if (value == nullptr || value->kind == Node::Kind::kNull) return absent;
  if (const auto wrong = wrong_integer(*value, least)) return fail(std::string(field), *wrong);
  return *parse_integer(value->text);
}

Result<std::vector<std::string>> strings(const Node* list, std::string_view field) {
  if (list == nullptr || list->kind == Node::Kind::kNull) return {};
  const auto is_string = [](const Node& item) { return item.kind == Node::Kind::kString; };
  if (list->kind != Node::Kind::kList || !std::ranges::all_of(list->items, is_string))
    return fail(std::string(field), "must be a list of strings");
  std::vector<std::string> words;
  std::ranges::transform(list->items, std::back_inserter(words), &Node::text);
  return words;
}

void order_members(Node& object, std::initializer_list<std::string_view> keys) {
  std::ranges::stable_sort(object.members, {}, [&](const Member& member) {
    return std::ranges::find(keys, member.key) - keys.begin();
  });
}

void order_container(Node& container) {
  order_members(container, {"name", "image", "imagePullPolicy", "command", "args", "workingDir", "env"});
}

} // namespace fluxhook::migrate
