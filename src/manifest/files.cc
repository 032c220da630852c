#include <glob.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <span>
#include <system_error>
#include <utility>

#include "fluxhook/manifest/reader.h"

namespace fluxhook::manifest {
namespace {

namespace fs = std::filesystem;
using namespace std::string_view_literals;

bool is_hidden(const fs::path& path) { return path.filename().string().starts_with('.'); }

bool is_manifest(const fs::path& path) {
  return std::ranges::contains(std::array{".yaml"sv, ".yml"sv, ".json"sv}, path.extension().string());
}

/// Adds what is in a folder; links to folders are not followed.
void search(const fs::path& folder, FoundFiles& found) {
  std::error_code fault;
  auto entry = fs::directory_iterator(folder, fault);
  for (; !fault && entry != fs::end(entry); entry.increment(fault)) {
    const fs::path& path = entry->path();
    std::error_code unknown; // then it is no folder, and opening it will say why
    if (is_hidden(path)) continue;
    if (entry->is_directory(unknown)) {
      if (!entry->is_symlink(unknown)) search(path, found);
    } else if (is_manifest(path)) {
      (entry->is_other(unknown) ? found.passed_over : found.files).push_back(path.string());
    }
  }
  if (fault) found.faults.push_back({folder.string(), fault.message()});
}

/// The paths that a pattern stands for, sorted, as a shell would have it.
std::vector<std::string> matches(const std::string& pattern) {
  glob_t found{};
  std::vector<std::string> paths;
  if (::glob(pattern.c_str(), 0, nullptr, &found) == 0)
    for (const char* const path : std::span(found.gl_pathv, found.gl_pathc))
      paths.emplace_back(path);
  ::globfree(&found);
  return paths;
}

/// Adds a file, or what is in a folder.
void add(const std::string& path, FoundFiles& found) {
  std::error_code fault;
  if (!fs::is_directory(path, fault)) return found.files.push_back(path);
  const std::size_t before = found.files.size();
  search(path, found);
  std::ranges::sort(found.files.begin() + static_cast<std::ptrdiff_t>(before), found.files.end());
}

} // namespace

FoundFiles find_files(const std::string& path) {
  if (path == kStandardInput) return {.files = {path}, .faults = {}, .passed_over = {}};
  std::error_code fault;
  FoundFiles found;
  if (fs::exists(path, fault)) {
    add(path, found);
    return found;
  }
  const bool pattern = !fault && path.find_first_of("*?[") != path.npos;
  const auto paths = pattern ? matches(path) : std::vector<std::string>();
  for (const std::string& match : paths)
    add(match, found);
  if (!paths.empty()) return found;
  const std::string where = path.empty() ? "\"\"" : path;
  std::string what = pattern ? "no file or folder matches" : "no such file or folder";
  found.faults.push_back({where, fault ? fault.message() : std::move(what)});
  return found;
}

} // namespace fluxhook::manifest
