// Command lines of mpirun: no word is lost without a word about it.
// Input: lines; the first is the vendor, "hydra" or another, the others are the words behind mpirun.
#include "migrate/mpirun.h"

#include <algorithm>

#include "fuzz.h"

namespace fluxhook::fuzz {
namespace {

using migrate::Effect;
using migrate::Mpi;
using migrate::MpiLine;
using migrate::MpiOption;

/// Whether the result says something of the option at `word`.
bool is_told(const MpiLine& line, const MpiOption& option, std::size_t word) {
  const bool remarked = std::ranges::contains(line.remarks, word, &MpiLine::Remark::word);
  const bool in_env = std::ranges::contains(line.env, word, &MpiLine::Variable::word);
  switch (option.effect) {
  case Effect::kTasks: return line.tasks.has_value();
  case Effect::kPerNode:
  case Effect::kOnePerNode: return line.tasks_per_node.has_value();
  case Effect::kCores: return line.cores_per_task.has_value();
  case Effect::kMapBy: return remarked || line.tasks_per_node.has_value();
  case Effect::kEnvAll:
  case Effect::kEnvNone: return true; // hands_on_env, of which the last one decides
  case Effect::kDirectory: return true;
  default: return remarked || in_env;
  }
}

/// The option at a word; the index behind its values.
std::size_t check_option(const std::vector<std::string>& words, std::size_t word, Mpi mpi,
                         const MpiLine& line) {
  const std::string& text = words[word];
  const std::size_t dashes = text.starts_with("--") ? 2 : 1;
  const std::size_t equals = text.find('=', dashes);
  const std::string name = text.substr(dashes, equals == text.npos ? equals : equals - dashes);
  const MpiOption* const option = migrate::find_option(name, mpi);
  require(option != nullptr, "an option that is taken is known", text);
  require(is_told(line, *option, word), "something is said of each option", text);
  auto values = static_cast<std::size_t>(option->values) - (equals == text.npos ? 0 : 1);
  const std::string first = equals != text.npos ? text.substr(equals + 1)
                            : values > 0        ? words.at(word + 1)
                                                : "";
  if (option->effect == Effect::kSetEnv && first.contains('='))
    values = equals == text.npos ? 1 : 0; // NAME=VALUE
  return word + 1 + values;
}

void check_values(const MpiLine& line) {
  for (const auto& number : {line.tasks, line.tasks_per_node, line.cores_per_task})
    require(!number || *number > 0, "a number is one of tasks or cores");
  for (const MpiLine::Variable& variable : line.env)
    require(!variable.name.empty() && !variable.name.contains('='), "a variable has a name", variable.name);
  for (const MpiLine::Remark& remark : line.remarks)
    require(!remark.text.empty(), "a remark says something");
  for (std::size_t i = 0; i + 1 < line.run_options.size(); ++i) {
    const std::string& limit = line.run_options[i + 1];
    if (line.run_options[i] != "-t") continue;
    require(limit.size() > 1 && limit.find_first_not_of("0123456789") == limit.size() - 1 &&
                limit.back() == 's',
            "a time limit is a number of seconds", limit);
  }
}

void check(const std::vector<std::string>& words, Mpi mpi) {
  const auto line = migrate::read_mpirun(words, mpi);
  if (!line) {
    require(!line.error().what.empty() && !line.error().what.contains('\n'), "a refusal is a line",
            line.error().what);
    return;
  }
  require(line->program_word < words.size(), "the program is one of the words");
  const std::vector<std::string> rest(words.begin() + static_cast<std::ptrdiff_t>(line->program_word),
                                      words.end());
  require(line->program == rest && !rest.front().empty(),
          "the program is all that stands behind the options");
  std::size_t word = 1;
  while (word < line->program_word && words[word] != "--")
    word = check_option(words, word, mpi, *line);
  if (word < line->program_word) ++word; // "--"
  require(word == line->program_word, "options and their values stand before the program");
  check_values(*line);
}

} // namespace
} // namespace fluxhook::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fluxhook;
  std::vector<std::string> words = fuzz::lines_of(fuzz::text_of(data, size));
  const auto mpi = words.front() == "hydra" ? migrate::Mpi::kHydra : migrate::Mpi::kOpenMpi;
  words.front() = "mpirun";
  fuzz::check(words, mpi);
  return 0;
}
