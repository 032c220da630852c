#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "json.h"

namespace fluxhook::admission {

/// Appends JSON to a text: literals as they are, strings quoted. Where RapidJSON's Writer would look at each
/// character of what is known, this copies.
class JsonText {
public:
  explicit JsonText(std::size_t reserve) { out_.reserve(reserve); }

  /// Punctuation, keys and values that are JSON already.
  JsonText& raw(std::string_view json) {
    out_.append(json);
    return *this;
  }
  /// A string with its quotes.
  JsonText& text(std::string_view value);
  JsonText& number(std::int64_t value) { return raw(std::to_string(value)); }
  /// A value of the document.
  JsonText& copy(const Json& value);
  /// The base64 of `bytes` (RFC 4648), with quotes.
  JsonText& base64(std::string_view bytes);
  /// `write(item)` for each item, with commas between.
  template <class List, class Write>
  JsonText& list(const List& items, Write write) {
    raw("[");
    bool first = true;
    for (const auto& item : items) {
      if (!first) raw(",");
      first = false;
      write(item);
    }
    return raw("]");
  }

  [[nodiscard]] std::string take() { return std::move(out_); }

private:
  std::string out_;
};

} // namespace fluxhook::admission
