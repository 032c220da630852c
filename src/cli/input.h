#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "fluxhook/manifest/reader.h"

namespace fluxhook::cli {

/// What a command does with its input.
class InputHandler {
public:
  InputHandler() = default;
  InputHandler(const InputHandler&) = delete;
  InputHandler& operator=(const InputHandler&) = delete;
  virtual ~InputHandler() = default;

  /// The next document; `file` is the path as the reader has it.
  virtual void take(const std::string& file, manifest::Document& document) = 0;
  /// Something that can't be read, or a path without any document; it has been reported on stderr.
  virtual void fault(const Error&) {}
  /// A file of a folder that is not read, and why; it has been told on stderr as a warning.
  virtual void passed_over(const std::string& /*file*/, const std::string& /*why*/) {}
  /// The file is at its end. `clean`: everything in it could be read; `rest`: what stands behind its last
  /// document.
  virtual void end_of_file(const std::string&, bool /*clean*/, const std::string& /*rest*/) {}
};

/// Hands over the documents of all PATHs in order. Sets context.exit to kNoAnswer when anything can't be
/// read, when there is no path, or, unless `allow_empty`, when a path holds no document: no input is no
/// answer. `allow_empty` is nothing where a command has no flag for it.
void read_input(const std::vector<std::string>& paths, std::optional<bool> allow_empty, Context& context,
                InputHandler& handler);

/// Whether there is any path; tells it if not.
[[nodiscard]] bool has_paths(const std::vector<std::string>& paths, Context& context);

/// Adds a command's positional PATH… to `paths`.
void add_paths(CLI::App& command, std::vector<std::string>& paths);

} // namespace fluxhook::cli
