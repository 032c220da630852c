#include <algorithm>
#include <filesystem>
#include <format>
#include <string_view>
#include <system_error>

#include "cli/diff.h"
#include "fluxhook/base/text.h"

namespace fluxhook::cli {
namespace {

namespace fs = std::filesystem;

/// patch(1) refuses absolute names and those with `..`: another name of the file, if it is below the current
/// folder.
std::string name_below(const std::string& file) {
  const fs::path path(file);
  if (path.is_relative() && !std::ranges::contains(path, "..")) return file;
  std::error_code fault;
  const fs::path here = fs::canonical(".", fault);
  const fs::path folder =
      fault ? fs::path() : fs::canonical(path.has_parent_path() ? path.parent_path() : ".", fault);
  if (fault) return file;
  const fs::path below = (folder / path.filename()).lexically_relative(here);
  return below.empty() || *below.begin() == ".." ? file : below.string();
}

/// As GNU diff's c_escape(): a byte that has no letter is octal.
std::string in_quotes(std::string_view name) {
  constexpr std::string_view kEscaped = "\a\b\t\n\v\f\r\"\\", kLetters = "abtnvfr\"\\";
  std::string out = "\"";
  for (const char c : name) {
    const std::size_t known = kEscaped.find(c);
    if (known != kEscaped.npos) out += std::string("\\") + kLetters[known];
    else if (c < ' ' || c == '\x7f') out += std::format("\\{:03o}", static_cast<unsigned char>(c));
    else out += c;
  }
  return out + '"';
}

} // namespace

std::string diff_name(const std::string& file) {
  const std::string name = name_below(file);
  if (printable(name) != name || name.starts_with(' ') || name.find_first_of("\"\\") != name.npos)
    return in_quotes(name);                       // patch passes over blanks at the beginning
  return name.contains(' ') ? name + '\t' : name; // the tab ends a name with blanks
}

} // namespace fluxhook::cli
