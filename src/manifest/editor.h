#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fluxhook/manifest/node.h"
#include "manifest/layout.h"
#include "manifest/text_edits.h"
#include "manifest/yaml_writer.h"

namespace fluxhook::manifest {

/// Goes over the values of a document as they are and as they should be, and notes what has to change in its
/// text. What it can't do ends it.
class Editor {
public:
  Editor(const std::string& text, const std::vector<Layout>& layout);

  /// The changed text; it has to be read again to know that it is right.
  [[nodiscard]] std::optional<std::string> edit(const Node& before, const Node& after);

private:
  /// Where a value stands: in a flow collection, or behind a key or a dash.
  struct Place {
    bool in_flow = false;
    bool in_list = false;
    std::size_t column = 0; ///< of the key or the dash
  };
  bool visit(std::size_t index, const Node& before, const Node& after, Place place);
  bool visit_list(const Layout& list, const Node& before, const Node& after, Place place);
  bool visit_object(const Layout& object, const Node& before, const Node& after);
  bool write_out_merge(const Layout& object, const Node& members);
  [[nodiscard]] bool is_words(const Layout& list) const;
  bool put(const Layout& old, const Node& value, Place place);
  bool put_scalar(const Layout& old, const Node& value, Place place);
  void put_below(const Layout& old, const Node& value, Place place);
  void add_items(const Layout& list, std::size_t at, const Node& items);
  void add_members(const Layout& object, const Node& members);
  void end_last_block();

  [[nodiscard]] const Layout& child(const Layout& node, std::size_t i) const {
    return layout_[node.children[i]];
  }
  [[nodiscard]] bool owns(const Layout& object, std::string_view key) const;
  [[nodiscard]] Node inherited(const Layout& object, const Node& before) const;
  [[nodiscard]] bool is_json(const Layout& flow) const;

  const std::string& text_;
  const std::vector<Layout>& layout_;
  TextEdits edits_;
  Indents indents_;
  bool has_aliases_ = false;
  std::vector<const Node*> after_; ///< by index: what becomes of a value, once it was visited
};

} // namespace fluxhook::manifest
