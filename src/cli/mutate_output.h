#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/companions.h"
#include "fluxhook/manifest/reader.h"

namespace fluxhook::cli {

/// The patch of one JobSet of the input.
struct ObjectPatch {
  std::string file;
  manifest::Position at;
  std::string name;
  std::string patch; ///< JSON
};

/// A document of the input, and what became of it.
struct MutatedDocument {
  const std::string& file;
  const manifest::Document& before;
  const manifest::Node& after;
  bool changed = false;
  std::vector<Companions> companions;
};

/// Prints documents and patches in one of the formats of `fluxhook mutate`.
class MutateOutput {
public:
  MutateOutput() = default;
  MutateOutput(const MutateOutput&) = delete;
  MutateOutput& operator=(const MutateOutput&) = delete;
  virtual ~MutateOutput() = default;

  virtual void patch(const ObjectPatch&) {}
  virtual void document(const MutatedDocument&) {}
  virtual void end_of_file(const std::string& /*file*/, bool /*clean*/, const std::string& /*rest*/) {}
  virtual void end() {}
};

/// yaml and json: the documents one after another; in YAML what did not change stays as it was written.
[[nodiscard]] std::unique_ptr<MutateOutput> documents_output(Context& context, bool json);
/// One RFC 6902 array for one JobSet; for several, a list of them with file, line and name.
[[nodiscard]] std::unique_ptr<MutateOutput> patch_output(Context& context);
/// Unified diffs of the files, for patch(1): of what files_output() would do to them.
[[nodiscard]] std::unique_ptr<MutateOutput> diff_output(Context& context);
/// Back into the files: each in the form that its documents have, or all as `json` says.
[[nodiscard]] std::unique_ptr<MutateOutput> files_output(Context& context, std::optional<bool> json);

} // namespace fluxhook::cli
