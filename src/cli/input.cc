#include "cli/input.h"

#include <istream>
#include <ostream>

#include <CLI/CLI.hpp>

namespace fluxhook::cli {
namespace {

class InputReader {
public:
  InputReader(Context& context, InputHandler& handler) : context_(context), handler_(handler) {}

  void read_path(const std::string& path, std::optional<bool> allow_empty) {
    const auto found = manifest::find_files(path);
    for (const Error& fault : found.faults)
      report(fault);
    const std::size_t before = documents_;
    bool clean = found.faults.empty();
    for (const std::string& file : found.files)
      clean = read_file(file) && clean;
    if (clean && !allow_empty.value_or(false) && documents_ == before)
      report({manifest::place(path, {}),
              std::string("no document in it") + (allow_empty ? " (--allow-empty takes that)" : "")});
  }

private:
  /// Whether all of it could be read.
  bool read_file(const std::string& file) {
    auto reader = manifest::Reader::open(file, context_.in);
    bool clean = reader.has_value();
    if (!reader) report(reader.error());
    while (reader) {
      auto document = reader->next();
      if (!document) break;
      if (*document) {
        ++documents_;
        handler_.take(file, **document);
      } else {
        clean = false;
        report(document->error());
      }
    }
    handler_.end_of_file(file, clean);
    return clean;
  }

  void report(const Error& error) {
    context_.report(error);
    handler_.fault(error);
  }

  Context& context_;
  InputHandler& handler_;
  std::size_t documents_ = 0;
};

} // namespace

void read_input(const std::vector<std::string>& paths, std::optional<bool> allow_empty, Context& context,
                InputHandler& handler) {
  if (paths.empty()) return context.fail("no input: name files or folders, or - for standard input");
  InputReader reader(context, handler);
  for (const std::string& path : paths)
    reader.read_path(path, allow_empty);
}

void add_paths(CLI::App& command, std::vector<std::string>& paths) {
  command.add_option("PATH", paths, "Files, folders (their .yaml, .yml and .json files), or - for stdin")
      ->type_name("");
}

} // namespace fluxhook::cli
