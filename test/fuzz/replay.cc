// Feeds a fuzz target the files that it is given, or that are in the folders that it is given. No input is a
// failure.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "fuzz.h"

namespace {

namespace fs = std::filesystem;

std::set<fs::path> files_of(const fs::path& path) {
  if (!fs::is_directory(path)) return {path};
  std::set<fs::path> files;
  for (const auto& entry : fs::directory_iterator(path))
    if (entry.is_regular_file()) files.insert(entry.path());
  return files;
}

} // namespace

int main(int count, char** arguments) {
  std::size_t inputs = 0;
  for (int i = 1; i < count; ++i) {
    for (const fs::path& file : files_of(arguments[i])) {
      std::fprintf(stderr, "%s\n", file.c_str()); // the last one is the one that fails
      std::ifstream in(file, std::ios::binary);
      const std::string text{std::istreambuf_iterator<char>(in), {}};
      fluxhook::fuzz::require(in.good() || in.eof(), "the file can be read", file.native());
      const std::vector<std::uint8_t> bytes(text.begin(), text.end());
      (void)LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
      ++inputs;
    }
  }
  fluxhook::fuzz::require(inputs > 0, "there is an input");
  std::printf("%zu inputs hold\n", inputs);
}
