#include "cli/input.h"

#include <sys/stat.h>
#include <unistd.h>

#include <format>
#include <ostream>

#include <CLI/CLI.hpp>

#include "cli/excerpt.h"
#include "cli/progress.h"

namespace fluxhook::cli {
namespace {

/// Whether a file is what stdout is written to: reading would not end, or find it empty.
bool is_output(const std::string& file) {
  struct stat in{}, out{};
  return ::stat(file.c_str(), &in) == 0 && ::fstat(STDOUT_FILENO, &out) == 0 && S_ISREG(in.st_mode) &&
         in.st_dev == out.st_dev && in.st_ino == out.st_ino;
}

class InputReader {
public:
  InputReader(Context& context, InputHandler& handler) : context_(context), handler_(handler) {}

  void read_path(const std::string& path, std::optional<bool> allow_empty) {
    const auto found = manifest::find_files(path);
    for (const Error& fault : found.faults)
      report(fault);
    for (const std::string& file : found.passed_over)
      pass_over(file);
    const std::size_t before = documents_;
    bool clean = found.faults.empty();
    Progress progress(context_.err);
    std::size_t done = 0;
    const auto tell = [&] {
      if (progress.due())
        progress.show(std::format("{} of {} files, {} documents", done, found.files.size(), documents_));
    };
    for (const std::string& file : found.files) {
      clean = read_file(file, tell) && clean;
      ++done;
    }
    if (clean && !allow_empty.value_or(false) && documents_ == before)
      report({manifest::place(path, {}),
              std::string("no document in it") + (allow_empty ? " (--allow-empty takes that)" : "")});
  }

private:
  /// Whether all of it could be read. `tell` is called for each document.
  bool read_file(const std::string& file, const auto& tell) {
    auto reader =
        is_output(file) ? fail(file, "is where the output goes") : manifest::Reader::open(file, context_.in);
    bool clean = reader.has_value();
    if (!reader) report(reader.error());
    while (reader) {
      auto document = reader->next();
      if (!document) break;
      tell();
      if (*document) {
        ++documents_;
        handler_.take(file, **document);
      } else {
        clean = false;
        report(document->error());
        show(*reader, document->error());
      }
    }
    handler_.end_of_file(file, clean, reader ? reader->rest() : std::string());
    return clean;
  }

  void show(const manifest::Reader& reader, const Error& error) {
    const Place place = take_apart(error.where);
    const std::string lines = excerpt(reader.failed_line(place.at.line), place.at);
    if (!lines.empty()) context_.err << lines + "\n";
  }

  void pass_over(const std::string& file) {
    const std::string why = "passed over: a pipe, socket or device is read only where it is named itself";
    context_.tell(file + ": warning: " + why);
    handler_.passed_over(file, why);
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

bool has_paths(const std::vector<std::string>& paths, Context& context) {
  if (paths.empty()) context.fail("no input: name files or folders, or - for standard input");
  return !paths.empty();
}

void read_input(const std::vector<std::string>& paths, std::optional<bool> allow_empty, Context& context,
                InputHandler& handler) {
  if (!has_paths(paths, context)) return;
  InputReader reader(context, handler);
  for (const std::string& path : paths)
    reader.read_path(path, allow_empty);
}

void add_paths(CLI::App& command, std::vector<std::string>& paths) {
  command.add_option("PATH", paths, "Files, folders, globs, or - for standard input")->type_name("");
}

} // namespace fluxhook::cli
