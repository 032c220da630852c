#include <algorithm>
#include <set>

#include "fluxhook/flux/render.h"

namespace fluxhook::flux {

namespace {

/// The NAME of the placeholder @NAME@ that `text` begins with; empty when it begins with none.
std::string_view placeholder(std::string_view text) {
  const auto end = text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_", 1);
  return end == std::string_view::npos || text[end] != '@' ? std::string_view{} : text.substr(1, end - 1);
}

} // namespace

Result<std::string> fill(std::string_view text, const Placeholders& values) {
  std::string out;
  std::set<std::string_view> used;
  for (;;) {
    const std::size_t at = std::min(text.find('@'), text.size());
    out += text.substr(0, at);
    text.remove_prefix(at);
    if (text.empty()) break;
    const std::string_view name = placeholder(text);
    if (name.empty()) {
      out += '@';
      text.remove_prefix(1);
      continue;
    }
    const auto value = values.find(name);
    if (value == values.end())
      return fail("@" + std::string(name) + "@",
                  "the template has this placeholder, but there is no value for it");
    out += value->second;
    used.insert(name);
    text.remove_prefix(name.size() + 2);
  }
  for (const auto& [name, value] : values) {
    if (!used.contains(name))
      return fail("@" + name + "@", "there is a value, but the template has no such placeholder");
  }
  return out;
}

} // namespace fluxhook::flux
