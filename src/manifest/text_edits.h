#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fluxhook::manifest {

/// Changes of a text, noted at offsets of the text as it was, and made all at once.
class TextEdits {
public:
  explicit TextEdits(const std::string& text) : text_(text) {}

  void replace(std::size_t begin, std::size_t end, std::string with) {
    edits_.push_back({begin, end, std::move(with)});
  }
  /// What is inserted at the same place stands in the order of the calls.
  void insert(std::size_t at, std::string what) { replace(at, at, std::move(what)); }

  /// Whether anything stands behind what was the end.
  [[nodiscard]] bool goes_on() const;

  /// The text with the changes; line ends in them become the text's. What is inserted at its end begins in a
  /// line of its own.
  [[nodiscard]] std::string apply();

private:
  struct Edit {
    std::size_t begin, end;
    std::string with;
  };
  const std::string& text_;
  std::vector<Edit> edits_;
};

/// Offset of the line behind the one with `at` in it; the text's end if there is none.
[[nodiscard]] std::size_t next_line(std::string_view text, std::size_t at);

/// Offset of the end of the line with `at` in it, if nothing but a comment follows `at` there; else `at`.
[[nodiscard]] std::size_t behind_comment(std::string_view text, std::size_t at);

/// How many bytes stand in the line before `at`.
[[nodiscard]] std::size_t column_of(std::string_view text, std::size_t at);

/// Where something may be added behind an entry that ends at `at`, in an object or a list at `column`: below
/// the entry's line, and the comments as far right that follow it.
[[nodiscard]] std::size_t behind_entry(std::string_view text, std::size_t at, std::size_t column);

} // namespace fluxhook::manifest
