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

} // namespace

Result<std::vector<std::string>> find_files(const std::string& path) {
  std::error_code fault;
  if (path == kStandardInput || !fs::is_directory(path, fault)) {
    if (path != kStandardInput && !fs::exists(path, fault)) {
      return fail(path, fault ? fault.message() : "no such file or folder");
    }
    return std::vector{path};
  }
  std::vector<std::string> files;
  auto entry = fs::recursive_directory_iterator(path, fault);
  for (; !fault && entry != fs::end(entry); entry.increment(fault)) {
    if (is_hidden(entry->path())) {
      if (entry->is_directory()) entry.disable_recursion_pending();
    } else if (is_manifest(entry->path()) && !entry->is_directory() &&
               !entry->is_other()) { // a pipe would wait
      files.push_back(entry->path().string());
    }
  }
  if (fault) return fail(path, fault.message());
  std::ranges::sort(files);
  return files;
}

} // namespace fluxhook::manifest
