#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/subject.h"

namespace fluxhook::cli {

/// A JobSet of the input and what was decided about it.
struct Explained {
  const std::string& file;
  const Subject& subject;
  const Decision& decision;
  const flux::Defaults& defaults;
};

/// Why it is or isn't injected, in one sentence.
[[nodiscard]] std::string reason(const Explained& explained);

/// Where a setting's value came from: by its row of the setting table.
[[nodiscard]] std::string origin_text(const Explained& explained, std::size_t row);

/// What a change writes, in a few words.
[[nodiscard]] std::string value_text(const flux::Value& value);

/// `flux run` and its words, as the lead's job.sh gives them; empty for an interactive instance.
[[nodiscard]] std::vector<std::string> run_line(const Explained& explained);

/// The whole explanation for people.
[[nodiscard]] std::string explanation(const Explained& explained, bool color);
/// The same as one JSON object.
[[nodiscard]] std::string explanation_json(const Explained& explained);

} // namespace fluxhook::cli
