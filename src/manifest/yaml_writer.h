#pragma once

#include <cstddef>
#include <string>

#include "fluxhook/manifest/node.h"

namespace fluxhook::manifest {

/// How far what belongs to a key is indented.
struct Indents {
  std::size_t step = 2; ///< of an object below a key
  std::size_t list = 0; ///< of a list's dashes below a key
};

/// Writes values in block style.
class YamlWriter {
public:
  YamlWriter(std::string& out, Indents indents) : out_(out), indents_(indents) {}

  /// A value behind `key:`, or, with `in_list`, behind `-`, and a line end; the key or dash stands at
  /// `indent`.
  void value(const Node& node, std::size_t indent, bool in_list);
  /// Members and items, each in a line of its own; with `started` the first one goes on where the line is.
  void object(const Node& node, std::size_t indent, bool started);
  void list(const Node& node, std::size_t indent, bool started);
  /// No list or object but an empty one, without a line end.
  void scalar(const Node& node, std::size_t indent);

private:
  std::string& out_;
  Indents indents_;
};

/// A value in flow style, `{a: [b, "1"]}`, without the brackets when `open`; or, with `json`, such that JSON
/// stays JSON.
[[nodiscard]] std::string to_flow(const Node& node, bool json, bool open = false);

} // namespace fluxhook::manifest
