#include "manifest/text_edits.h"

#include <algorithm>

namespace fluxhook::manifest {

bool TextEdits::goes_on() const {
  return std::ranges::any_of(edits_, [&](const Edit& edit) { return edit.begin == text_.size(); });
}

std::string TextEdits::apply() {
  const std::size_t first = text_.find('\n');
  const bool windows = first != text_.npos && first > 0 && text_[first - 1] == '\r';
  std::ranges::stable_sort(edits_, {}, &Edit::begin);
  std::string out;
  std::size_t done = 0;
  for (const Edit& edit : edits_) {
    out += std::string_view(text_).substr(done, edit.begin - done);
    if (edit.begin == text_.size() && !out.ends_with('\n')) out += windows ? "\r\n" : "\n";
    for (const char c : edit.with) {
      if (c == '\n' && windows) out += '\r';
      out += c;
    }
    done = edit.end;
  }
  return out + text_.substr(done);
}

std::size_t next_line(std::string_view text, std::size_t at) {
  return std::min(text.find('\n', at), text.size() - 1) + 1;
}

std::size_t behind_comment(std::string_view text, std::size_t at) {
  const std::size_t next = std::min(text.find_first_not_of(" \t", at), text.size());
  if (next == at || next == text.size() || text[next] != '#') return at;
  const std::size_t end = std::min(text.find('\n', next), text.size());
  return text[end - 1] == '\r' ? end - 1 : end;
}

std::size_t column_of(std::string_view text, std::size_t at) {
  const std::size_t before = at == 0 ? text.npos : text.rfind('\n', at - 1);
  return before == text.npos ? at : at - before - 1;
}

std::size_t behind_entry(std::string_view text, std::size_t at, std::size_t column) {
  std::size_t line = next_line(text, at);
  while (column > 0 && line < text.size()) {
    const std::size_t start = std::min(text.find_first_not_of(' ', line), text.size());
    if (start == text.size() || text[start] != '#' || start - line < column) break;
    line = next_line(text, start);
  }
  return line;
}

} // namespace fluxhook::manifest
