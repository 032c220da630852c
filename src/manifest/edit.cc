#include "fluxhook/manifest/edit.h"

#include <vector>

#include "manifest/editor.h"
#include "manifest/json_editor.h"
#include "manifest/layout.h"
#include "manifest/parse.h"

namespace fluxhook::manifest {

std::optional<std::string> edit(const Document& document, const Node& after) {
  if (document.json) return edit_json(document, after);
  const Piece piece{.text = document.text, .line = document.line};
  const std::vector<Layout> layout = lay_out(piece);
  if (layout.empty()) return {};
  auto edited = Editor(piece.text, layout).edit(document.root, after);
  if (!edited) return {};
  const auto read = parse_yaml(Piece{.text = *edited}, {});
  if (!read) return {};
  const std::optional<Node>& node = *read;
  if (!node || !equal(*node, after)) return {};
  return edited;
}

} // namespace fluxhook::manifest
