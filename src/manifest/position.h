#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fluxhook/base/ascii.h"
#include "fluxhook/manifest/node.h"

namespace fluxhook::manifest {

/// Turns byte offsets of a UTF-8 text, asked for in ascending order, into positions.
class Locator {
public:
  Locator(std::string_view text, std::uint32_t first_line) : text_(text), at_{first_line, 1} {}

  [[nodiscard]] Position at(std::size_t offset) {
    for (; offset_ < offset && offset_ < text_.size(); ++offset_) {
      if (text_[offset_] == '\n') {
        at_ = {at_.line + 1, 1};
      } else if (!continues_character(text_[offset_])) {
        ++at_.column;
      }
    }
    return at_;
  }

private:
  std::string_view text_;
  std::size_t offset_ = 0;
  Position at_;
};

} // namespace fluxhook::manifest
