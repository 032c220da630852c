#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "manifest/splitter.h"

namespace fluxhook::manifest {

/// Where a value of a YAML document stands in its text; offsets are of bytes.
struct Layout {
  enum class Style : std::uint8_t {
    kScalar,
    kBlockScalar,
    kAlias,
    kBlockList,
    kBlockObject,
    kFlowList,
    kFlowObject
  };

  Style style = Style::kScalar;
  std::size_t begin = 0;             ///< behind its anchor and tag; of a block list, its first dash
  std::size_t end = 0;               ///< behind its last character that is no blank, line end or comment
  std::string text;                  ///< of a scalar, as Node has it
  bool merge = false;                ///< the scalar is a merge key, if it is a key
  std::size_t target = 0;            ///< of an alias: what it stands for
  std::vector<std::size_t> children; ///< of an object: key, value, key, value …

  [[nodiscard]] bool is_list() const { return style == Style::kBlockList || style == Style::kFlowList; }
  [[nodiscard]] bool is_object() const { return style == Style::kBlockObject || style == Style::kFlowObject; }
  [[nodiscard]] bool is_flow() const { return style == Style::kFlowList || style == Style::kFlowObject; }
};

/// The values of the one document in a piece that parse_yaml() reads, the root first; `children` and `target`
/// are indices. None: there is nothing in it.
[[nodiscard]] std::vector<Layout> lay_out(const Piece& piece);

/// The offset of the first character from `at` on that is no blank, line end or part of a comment.
[[nodiscard]] std::size_t next_token(std::string_view text, std::size_t at);

} // namespace fluxhook::manifest
