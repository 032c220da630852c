#include "manifest/splitter.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace fluxhook::manifest {
namespace {

bool is_mark(std::string_view line) {
  return line.starts_with("---") && (line.size() == 3 || std::string_view(" \t\r\n").contains(line[3]));
}

/// Whether a line leaves the document unopened: blank, a comment, or a directive.
bool is_before_document(std::string_view line) {
  const std::size_t start = line.find_first_not_of(" \t\r\n");
  return start == line.npos || line[start] == '#' || line[0] == '%';
}

/// A CR alone becomes a LF, as which YAML reads it.
void normalise(std::string& line) {
  const bool windows = line.ends_with("\r\n");
  std::ranges::replace(line.begin(), line.end() - (windows ? 2 : 0), '\r', '\n');
}

} // namespace

/// Reads up to a line's end: std::getline would follow one without end as far as there is memory.
bool Splitter::get_line() {
  line_.clear();
  std::array<char, 16384> part;
  while (!too_large()) {
    in_.getline(part.data(), part.size());
    const auto count = static_cast<std::size_t>(in_.gcount());
    read_ += count;
    if (in_.bad()) return false;
    const bool full = in_.fail() && !in_.eof(); // no end in sight yet
    if (in_.eof() || full) line_.append(part.data(), count);
    else line_.append(part.data(), count - 1).push_back('\n');
    if (!full) return !line_.empty();
    in_.clear();
  }
  return false;
}

bool Splitter::read_line() {
  if (have_line_) return true;
  if (!get_line() || too_large()) return false;
  if (!std::exchange(started_, true) && line_.starts_with("\xEF\xBB\xBF")) {
    line_.erase(0, 3);
    marked_ = true;
  }
  normalise(line_);
  return have_line_ = true;
}

std::optional<Piece> Splitter::next() {
  if (!read_line()) return {};
  Piece piece{.text = {}, .line = number_, .marked = std::exchange(marked_, false)};
  bool directive = false, open = false;
  while (read_line()) {
    if (is_mark(line_)) {
      const bool first = piece.text.empty() || (directive && !open);
      if (!first) break;
      open = true;
    } else if (!is_before_document(line_)) {
      open = true;
    } else {
      directive |= line_.starts_with('%');
    }
    number_ += static_cast<std::uint32_t>(std::ranges::count(line_, '\n'));
    piece.text += line_;
    have_line_ = false;
  }
  if (too_large()) return {};
  return piece;
}

} // namespace fluxhook::manifest
