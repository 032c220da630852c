#include "migrate/mpirun.h"

#include <algorithm>
#include <array>
#include <limits>

#include "fluxhook/base/text.h"

namespace fluxhook::migrate {
namespace {

/// Parameters of Open MPI's launcher and allocator, which have no meaning without mpirun; the others are
/// MPI's own.
constexpr std::array<std::string_view, 12> kLauncherFrameworks{
    "plm", "rsh", "orte", "oob", "rmaps", "ras", "ess", "routed", "odls", "state", "prte", "grpcomm"};

constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max(); ///< mpirun counts with int

class Line {
public:
  Line(std::span<const std::string> words, Mpi mpi) : words_(words), mpi_(mpi) {
    line_.hands_on_env = mpi == Mpi::kHydra;
  }

  Result<MpiLine> read() {
    std::size_t at = 1;
    while (at < words_.size() && words_[at].starts_with('-') && words_[at] != "-") {
      if (words_[at++] == "--") break;
      const auto next = take_option(at - 1);
      if (!next) return std::unexpected(next.error());
      at = *next;
    }
    line_.program.assign(words_.begin() + static_cast<std::ptrdiff_t>(std::min(at, words_.size())),
                         words_.end());
    line_.program_word = at;
    if (line_.program.empty()) return fail({}, "it starts no program");
    if (line_.program.front().empty()) return fail({}, "the program's name is empty");
    if (std::ranges::contains(line_.program, ":"))
      return fail({}, "it starts several programs, with a colon between them; flux run starts one");
    return std::move(line_);
  }

private:
  /// Takes the option at a word; returns the next one's index.
  Result<std::size_t> take_option(std::size_t at) {
    std::string_view name = words_[at];
    name.remove_prefix(name.starts_with("--") ? 2 : 1);
    std::vector<std::string> values;
    const std::size_t equals = name.find('=');
    if (equals != name.npos) values.emplace_back(name.substr(equals + 1));
    const MpiOption* const option = find_option(name.substr(0, equals), mpi_);
    if (option == nullptr || values.size() > static_cast<std::size_t>(option->values))
      return fail({},
                  "its option " + in_quotes(words_[at]) + " is not known, nor whether a value follows it");
    std::size_t next = at + 1;
    while (values.size() < static_cast<std::size_t>(option->values)) {
      const bool pair = option->effect == Effect::kSetEnv && values.size() == 1 && values[0].contains('=');
      if (pair) break;
      if (next == words_.size())
        return fail({}, "a value is missing after its option " + in_quotes(words_[at]));
      values.push_back(words_[next++]);
    }
    if (auto done = apply(*option, values, at); !done) return std::unexpected(done.error());
    return next;
  }

  Result<void> apply(const MpiOption& option, const std::vector<std::string>& values, std::size_t at) {
    switch (option.effect) {
    case Effect::kTasks: return number(values[0], line_.tasks, at);
    case Effect::kPerNode: return number(values[0], line_.tasks_per_node, at);
    case Effect::kCores: return number(values[0], line_.cores_per_task, at);
    case Effect::kOnePerNode: line_.tasks_per_node = 1; break;
    case Effect::kMapBy: return map_by(values[0], at);
    case Effect::kBind: bind(values[0], at); break;
    case Effect::kExport:
    case Effect::kSetEnv: return set_env(values, at);
    case Effect::kEnvList:
      line_.hands_on_env = false;
      for (const std::string_view name : split(values[0], ','))
        if (auto added = add_env(std::string(name), std::nullopt, at); !added) return added;
      break;
    case Effect::kEnvAll: line_.hands_on_env = true; break;
    case Effect::kEnvNone: line_.hands_on_env = false; break;
    case Effect::kMca: return mca(values[0], values[1], at);
    case Effect::kDirectory: line_.directory = values[0]; break;
    case Effect::kTimeLimit: return time_limit(values[0], at);
    case Effect::kLabel:
      line_.run_options.emplace_back("-l");
      remark(at, Fate::kChanged, "run-options -l: flux run puts ranks before the lines of output");
      break;
    case Effect::kDrop: remark(at, Fate::kDropped, option.text); break;
    case Effect::kDecide: remark(at, Fate::kDecide, option.text); break;
    }
    return {};
  }

  Result<void> number(std::string_view text, std::optional<std::int64_t>& out, std::size_t at) {
    const auto read = parse_integer(text);
    if (!read || *read < 1 || *read > kMost)
      return fail({}, "the value of its option " + in_quotes(words_[at]) + " is no number from 1 to " +
                          std::to_string(kMost) + ": " + in_quotes(text));
    out = read;
    return {};
  }

  /// UNIT, ppr:N:UNIT, and modifiers behind colons: PE=N, OVERSUBSCRIBE …
  Result<void> map_by(std::string_view spec, std::size_t at) {
    const auto parts = split(spec, ':');
    const bool ppr = parts[0] == "ppr" && parts.size() >= 3;
    const std::string_view unit = ppr ? parts[2] : parts[0];
    if (ppr && unit == "node") {
      if (auto read = number(parts[1], line_.tasks_per_node, at); !read) return read;
    } else if (ppr) {
      remark(at, Fate::kDecide, "so many tasks on each " + std::string(unit) + ": say how many on each node");
    } else {
      remark(at, Fate::kDropped, "Flux places the tasks, the same number on each node");
    }
    for (const std::string_view modifier : std::span(parts).subspan(ppr ? 3 : 1)) {
      const bool cores = modifier.starts_with("PE=") || modifier.starts_with("pe=");
      if (!cores) continue;
      if (auto read = number(modifier.substr(3), line_.cores_per_task, at); !read) return read;
    }
    return {};
  }

  void bind(std::string_view what, std::size_t at) {
    if (what == "none") {
      line_.run_options.insert(line_.run_options.end(), {"-o", "cpu-affinity=off"});
      return remark(at, Fate::kChanged, "run-options -o cpu-affinity=off");
    }
    remark(at, Fate::kDropped,
           "Flux binds tasks to the job's cores; run-options -o cpu-affinity=per-task gives each its own");
  }

  Result<void> add_env(std::string name, std::optional<std::string> value, std::size_t at) {
    if (name.empty() || name.contains('='))
      return fail({}, "its option " + in_quotes(words_[at]) + " names no variable: " + in_quotes(name));
    line_.env.push_back({std::move(name), std::move(value), at});
    return {};
  }

  Result<void> set_env(const std::vector<std::string>& values, std::size_t at) {
    const std::size_t equals = values[0].find('=');
    if (values.size() == 2) return add_env(values[0], values[1], at);
    if (equals == std::string::npos) return add_env(values[0], std::nullopt, at);
    return add_env(values[0].substr(0, equals), values[0].substr(equals + 1), at);
  }

  Result<void> mca(const std::string& name, const std::string& value, std::size_t at) {
    const std::string_view framework = std::string_view(name).substr(0, name.find('_'));
    if (std::ranges::contains(kLauncherFrameworks, framework)) {
      remark(at, Fate::kDropped, name + ": Flux starts the tasks: there is no ssh and no daemon of mpirun's");
      return {};
    }
    remark(at, Fate::kChanged, "the variable OMPI_MCA_" + name);
    return add_env("OMPI_MCA_" + name, value, at);
  }

  Result<void> time_limit(std::string_view seconds, std::size_t at) {
    std::optional<std::int64_t> limit;
    if (auto read = number(seconds, limit, at); !read) return read;
    line_.run_options.insert(line_.run_options.end(), {"-t", std::to_string(limit.value_or(0)) + "s"});
    remark(at, Fate::kChanged, "run-options -t: flux run's time limit");
    return {};
  }

  void remark(std::size_t at, Fate fate, std::string_view text) {
    line_.remarks.push_back({at, fate, words_[at] + ": " + std::string(text)});
  }

  std::span<const std::string> words_;
  Mpi mpi_;
  MpiLine line_;
};

} // namespace

bool is_mpirun(std::string_view command) {
  constexpr std::array<std::string_view, 7> kNames{
      "mpirun", "mpiexec", "mpiexec.hydra", "orterun", "mpirun.openmpi", "mpirun.mpich", "prterun"};
  return std::ranges::contains(kNames, command.substr(command.rfind('/') + 1));
}

Result<MpiLine> read_mpirun(std::span<const std::string> words, Mpi mpi) { return Line(words, mpi).read(); }

} // namespace fluxhook::migrate
