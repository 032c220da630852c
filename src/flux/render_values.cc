#include "render_values.h"

#include "fluxhook/base/text.h"

namespace fluxhook::flux {

std::optional<std::string> ValueTable::quote(const std::string& name, std::string_view value) {
  auto text = is_plain_utf8(value) // as all texts of a ConfigMap
                  ? quote_(value)
                  : fail("", in_quotes(value) + " must be UTF-8 without NUL");
  if (text) return *std::move(text);
  if (!fault_) fault_ = Error{.where = file_ + ": @" + name + "@", .what = std::move(text).error().what};
  return std::nullopt;
}

void ValueTable::add(std::string name, std::string_view value) {
  if (auto text = quote(name, value)) add_bare(std::move(name), *std::move(text));
}

void ValueTable::add_words(const std::string& name, const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    if (const auto text = quote(name, word)) line += (line.empty() ? "" : " ") + *text;
  }
  add_bare(name, std::move(line));
}

Result<std::string> ValueTable::fill_in(std::string_view text) const {
  if (fault_) return std::unexpected(*fault_);
  auto filled = fill(text, values_);
  if (!filled) return fail(file_ + ": " + filled.error().where, filled.error().what);
  return filled;
}

} // namespace fluxhook::flux
