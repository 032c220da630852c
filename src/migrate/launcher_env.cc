#include "migrate/launcher_env.h"

#include <algorithm>
#include <array>

namespace fluxhook::migrate {
namespace {

/// A variable that mpirun or its daemons set, and the one of flux run that says the same.
struct OwnVariable {
  std::string_view name; ///< or what it begins with
  std::string_view flux;
};

constexpr std::string_view kAllOfFlux = "FLUX_TASK_RANK, FLUX_TASK_LOCAL_ID and FLUX_JOB_SIZE";

// From Open MPI's mpirun(1), PMIx's standard, Intel MPI's reference; flux run's from flux-environment(7).
// Flux sets PMI_RANK and PMI_SIZE itself.
constexpr std::array kOwnVariables{
    OwnVariable{"OMPI_COMM_WORLD_RANK", "FLUX_TASK_RANK"},
    OwnVariable{"OMPI_COMM_WORLD_LOCAL_RANK", "FLUX_TASK_LOCAL_ID"},
    OwnVariable{"OMPI_COMM_WORLD_NODE_RANK", "FLUX_TASK_LOCAL_ID"},
    OwnVariable{"OMPI_COMM_WORLD_SIZE", "FLUX_JOB_SIZE"},
    OwnVariable{"OMPI_UNIVERSE_SIZE", "FLUX_JOB_SIZE"},
    OwnVariable{"PMIX_RANK", "FLUX_TASK_RANK"},
    OwnVariable{"MPI_LOCALRANKID", "FLUX_TASK_LOCAL_ID"},
    OwnVariable{"OMPI_COMM_WORLD_", kAllOfFlux},
    OwnVariable{"PMIX_", kAllOfFlux},
    OwnVariable{"PMI_LOCAL_", kAllOfFlux},
    OwnVariable{"MPI_LOCALNRANKS", kAllOfFlux},
    OwnVariable{"HYDRA_", kAllOfFlux},
    OwnVariable{"HYDI_", kAllOfFlux},
};

void note_own_variables(Migration& migration, std::string_view word, std::string_view field) {
  constexpr std::string_view kName = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
  for (std::size_t at = word.find_first_of(kName); at != word.npos; at = word.find_first_of(kName, at)) {
    const std::size_t end = std::min(word.find_first_not_of(kName, at), word.size());
    const std::string_view name = word.substr(at, end - at);
    const auto* const own = std::ranges::find_if(
        kOwnVariables, [&](const OwnVariable& one) { return name.starts_with(one.name); });
    if (own != kOwnVariables.end())
      migration.note(Fate::kDecide, field,
                     std::string(name) + " is set by mpirun, and not under Flux, which sets " +
                         std::string(own->flux));
    at = end;
  }
}

} // namespace

LauncherEnv::LauncherEnv(Migration& migration, const MpiJob& job, Node& main)
    : migration_(migration), gone_(job.gone.has_value()), main_(main) {
  const Replica& replica = job.gone ? *job.gone : job.kept;
  const std::size_t index = job.gone ? job.gone_container : job.kept_container;
  field_ = field_of(replica.container_field(index), "env");
  if (const Node* const env = replica.container(index).find("env")) launchers_ = *env;
}

void LauncherEnv::merge(const MpiLine* line, std::span<const std::string> fields) {
  const bool all = line == nullptr || line->hands_on_env;
  const auto exported = [&](std::string_view name) {
    return line != nullptr && std::ranges::contains(line->env, name, &MpiLine::Variable::name);
  };
  for (std::size_t i = 0; gone_ && i < launchers_.items.size(); ++i) {
    const Node& entry = launchers_.items[i];
    const std::string_view name = entry.get("name");
    merge_entry(entry, field_of(field_, i), all || exported(name) || name.starts_with("OMPI_MCA_"));
  }
  if (line == nullptr) return;
  for (const MpiLine::Variable& variable : line->env) {
    const std::string& field = fields[variable.word];
    if (variable.value) put_env(main_, variable.name, literal(*variable.value, field));
    else if (named(&launchers_, variable.name) == nullptr)
      migration_.note(Fate::kDropped, field,
                      variable.name + ": the launcher's env has no such variable: tasks have the " +
                          (named(main_.find("env"), variable.name) != nullptr ? "worker's value"
                                                                              : "image's value, if any"));
  }
}

void LauncherEnv::merge_entry(Node entry, const std::string& field, bool handed_on) {
  const Node* const own = named(main_.find("env"), entry.get("name"));
  if (own != nullptr && manifest::equal(*own, entry)) return;
  if (own != nullptr && !handed_on)
    return migration_.note(Fate::kDropped, field,
                           "the worker has another value, and mpirun does not hand this one on");
  migration_.note(Fate::kChanged, field,
                  handed_on ? "a variable of all pods, as mpirun hands it on"
                            : "a variable of all pods; mpirun without -x did not hand it on");
  if (const std::string_view value = entry.get("value"); value.contains("$("))
    put(entry, "value", text_node(expand(value, field_of(field, "value"), false)));
  put_env(main_, entry);
}

std::vector<std::string> LauncherEnv::resolve(const std::vector<std::string>& words,
                                              std::span<const std::string> fields) {
  std::vector<std::string> resolved;
  for (std::size_t i = 0; i < words.size(); ++i) {
    note_own_variables(migration_, words[i], fields[i]);
    resolved.push_back(expand(words[i], fields[i], false));
  }
  return resolved;
}

std::string LauncherEnv::literal(std::string_view text, std::string_view field) {
  return expand(text, field, true);
}

/// As the kubelet reads it: `$$` is a dollar, `$(NAME)` a variable's value, any other dollar itself.
std::string LauncherEnv::expand(std::string_view text, std::string_view field, bool all) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    const std::size_t close = rest.find(')');
    if (rest.starts_with("$(") && close != rest.npos) {
      out += value_of(rest.substr(2, close - 2), field, all);
      at += close + 1;
      continue;
    }
    const std::size_t length = rest.starts_with("$$") ? 2 : 1;
    out += rest.substr(0, length);
    at += length;
  }
  return out;
}

/// A variable's value, or the reference to it where the pods have the same, or where it can't be known.
std::string LauncherEnv::value_of(std::string_view name, std::string_view field, bool all) {
  std::string reference = "$(" + std::string(name) + ")";
  const Node* const launchers = named(&launchers_, name);
  const Node* const now = named(main_.find("env"), name);
  if (launchers == nullptr) {
    if (now != nullptr && gone_)
      migration_.note(Fate::kDecide, field,
                      reference + " is the worker's value now; the launcher's env has no such variable");
    return reference;
  }
  if (!all && now != nullptr && manifest::equal(*now, *launchers)) return reference;
  const std::string_view value = launchers->get("value");
  if (launchers->find("valueFrom") == nullptr && !value.contains('$')) return std::string(value);
  if (now == nullptr || !manifest::equal(*now, *launchers))
    migration_.note(Fate::kDecide, field,
                    reference + " was the launcher's value, which is no literal; the pods have another one");
  return reference;
}

} // namespace fluxhook::migrate
