#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

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
    } else if (is_manifest(path) && !entry->is_other(unknown)) { // a pipe would wait
      found.files.push_back(path.string());
    }
  }
  if (fault) found.faults.push_back({folder.string(), fault.message()});
}

} // namespace

FoundFiles find_files(const std::string& path) {
  if (path == kStandardInput) return {.files = {path}, .faults = {}};
  std::error_code fault;
  if (!fs::exists(path, fault)) {
    const std::string where = path.empty() ? "\"\"" : path;
    return {.files = {}, .faults = {{where, fault ? fault.message() : "no such file or folder"}}};
  }
  if (!fs::is_directory(path, fault)) return {.files = {path}, .faults = {}};
  FoundFiles found;
  search(path, found);
  std::ranges::sort(found.files);
  return found;
}

} // namespace fluxhook::manifest
