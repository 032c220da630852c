#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fluxhook/base/result.h"
#include "fluxhook/manifest/node.h"

namespace fluxhook::migrate {

using manifest::Member;
using manifest::Node;

// Values that stand in no file.

[[nodiscard]] Node text_node(std::string_view text);
[[nodiscard]] Node number_node(std::int64_t number);
[[nodiscard]] Node list_node(std::vector<Node> items);
[[nodiscard]] Node words_node(const std::vector<std::string>& words);
[[nodiscard]] Node object_node(std::initializer_list<std::pair<std::string_view, Node>> members);

/// Sets a member of an object, in its place or at the end.
Node& put(Node& object, std::string_view key, Node value);
/// A member that is an object, or a list; made where it is absent or null.
Node& object_at(Node& object, std::string_view key);
Node& list_at(Node& object, std::string_view key);
/// Puts a value below an object, at keys with dots between them; objects are made on the way.
void put_path(Node& object, std::string_view path, Node value);
void erase(Node& object, std::string_view key);
/// The item of a list of objects whose member `name` is that; nullptr when there is none.
[[nodiscard]] Node* named(Node* list, std::string_view name);

/// What a path of keys with dots between them leads to; nullptr when it leads nowhere.
[[nodiscard]] const Node* at_path(const Node& object, std::string_view path);

/// Whether a value is as good as none: null, "", false, an empty list or object.
[[nodiscard]] bool is_blank(const Node* value);
[[nodiscard]] bool is_true(const Node* value);
/// The text of a string, number or bool; "" for others.
[[nodiscard]] std::string_view scalar_text(const Node* value);

/// An integer member of 32 bits, or `absent` where there is none. Error: another type, or less than `least`;
/// `where` is the field.
[[nodiscard]] Result<std::int64_t> integer(const Node* value, std::int64_t absent, std::string_view field,
                                           std::int64_t least = 0);
/// The strings of a list; none where it is absent. Error: another type.
[[nodiscard]] Result<std::vector<std::string>> strings(const Node* list, std::string_view field);

/// Puts the members of an object in this order; others stay behind them.
void order_members(Node& object, std::initializer_list<std::string_view> keys);
/// As people write a container: what it is and does first.
void order_container(Node& container);

} // namespace fluxhook::migrate
