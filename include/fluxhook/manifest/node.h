/// Module manifest: YAML and JSON files as trees in which every value knows where it stands, and back to
/// text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fluxhook::manifest {

/// A place in a file: line and column (in characters), both from 1; 0 when it is not known.
struct Position {
  std::uint32_t line = 0;
  std::uint32_t column = 0;

  bool operator==(const Position&) const = default;
};

struct Member;

/// A JSON value, as kubectl would read it, and where it stands. Members and items are in the file's order; a
/// value that came by an alias or a merge key stands where its anchor has it.
struct Node {
  enum class Kind : std::uint8_t { kNull, kBool, kNumber, kString, kList, kObject };

  Kind kind = Kind::kNull;
  Position at;
  std::string text;            ///< of a string: its value; of a number or bool: its JSON text, digits kept
  std::vector<Node> items;     ///< of a list
  std::vector<Member> members; ///< of an object; no key twice

  /// The value of a member; nullptr when it is absent or this is no object.
  [[nodiscard]] const Node* find(std::string_view key) const;
  [[nodiscard]] Node* find(std::string_view key);
  /// The text of a string member; "" when it is absent or no string.
  [[nodiscard]] std::string_view get(std::string_view key) const;
};

/// One entry of an object.
struct Member {
  std::string key;
  Position at; ///< of the key
  Node value;
};

/// Whether two values are the same: numbers by what JSON means by them, objects whatever the order of their
/// members.
[[nodiscard]] bool equal(const Node& a, const Node& b);

/// What a field path in the API server's form leads to (spec.replicatedJobs[0].name,
/// metadata.annotations[example.org/key]): its value, or the last part of the path that is there.
[[nodiscard]] const Node& find_field(const Node& root, std::string_view field);

/// Where that stands.
[[nodiscard]] inline Position locate(const Node& root, std::string_view field) {
  return find_field(root, field).at;
}

/// The Kubernetes objects in a document: the items of a list (kind List, or …List with items; also nested),
/// or else the root itself. The pointers are into `root`.
[[nodiscard]] std::vector<Node*> objects(Node& root);

} // namespace fluxhook::manifest
