#include "fluxhook/base/shell_words.h"

#include <cstddef>
#include <utility>

namespace fluxhook {

namespace {

/// Splits one text into words: POSIX.1-2024, Shell & Utilities, 2.2 "Quoting".
class WordSplitter {
public:
  explicit WordSplitter(std::string_view text) : text_(text) {}

  Result<std::vector<std::string>> split() {
    while (at_ < text_.size()) {
      const std::size_t start = at_;
      if (!step()) {
        const std::string what = text_[start] == '\\'
                                     ? "a backslash with nothing after it"
                                     : std::string("the quote ") + text_[start] + " is never closed";
        return fail("byte " + std::to_string(start), what);
      }
    }
    end_word();
    return std::move(words_);
  }

private:
  bool step() {
    const char c = text_[at_++];
    switch (c) {
    case ' ':
    case '\t':
    case '\n': end_word(); return true;
    case '\\': return escaped();
    case '\'': return single_quoted();
    case '"': return double_quoted();
    default: add(c); return true;
    }
  }

  bool escaped() {
    if (at_ == text_.size()) return false;
    if (text_[at_] != '\n') // backslash and newline continue the line
      add(text_[at_]);
    ++at_;
    return true;
  }

  bool single_quoted() {
    const std::size_t end = text_.find('\'', at_);
    if (end == std::string_view::npos) return false;
    word_ += text_.substr(at_, end - at_);
    in_word_ = true;
    at_ = end + 1;
    return true;
  }

  bool double_quoted() {
    in_word_ = true;
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '"') return true;
      const bool escapes = c == '\\' && at_ < text_.size() &&
                           std::string_view("$`\"\\\n").find(text_[at_]) != std::string_view::npos;
      if (escapes) escaped();
      else add(c);
    }
    return false;
  }

  void add(char c) {
    word_ += c;
    in_word_ = true;
  }

  void end_word() {
    if (in_word_) words_.push_back(std::exchange(word_, {}));
    in_word_ = false;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string word_;
  bool in_word_ = false; // '' is a word too
  std::vector<std::string> words_;
};

} // namespace

Result<std::vector<std::string>> split_shell_words(std::string_view text) {
  return WordSplitter(text).split();
}

std::string shell_word(std::string_view text) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+=:,./-";
  if (!text.empty() && text.find_first_not_of(kPlain) == text.npos) return std::string(text);
  std::string quoted = "'";
  for (const char c : text)
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

} // namespace fluxhook
