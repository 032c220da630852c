#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fluxhook/flux/render.h"

namespace fluxhook::flux {

/// The values of one file's placeholders, quoted for its language.
class ValueTable {
public:
  using Quote = Result<std::string> (*)(std::string_view);

  ValueTable(std::string file, Quote quoting) : file_(std::move(file)), quote_(quoting) {}

  void add(std::string name, std::string_view value);
  void add_words(const std::string& name, const std::vector<std::string>& words);
  void add_number(std::string name, std::int64_t value) { add_bare(std::move(name), std::to_string(value)); }
  /// A value that is whole already, or a word out of a few of ours.
  void add_bare(std::string name, std::string value) { values_.emplace(std::move(name), std::move(value)); }

  /// The template with the values in it. Error: the first value that could not be quoted, or as fill() says.
  [[nodiscard]] Result<std::string> fill_in(std::string_view text) const;

private:
  std::optional<std::string> quote(const std::string& name, std::string_view value);

  std::string file_;
  Quote quote_;
  Placeholders values_;
  std::optional<Error> fault_;
};

} // namespace fluxhook::flux
