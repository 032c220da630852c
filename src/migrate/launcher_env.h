#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "migrate/launcher.h"

namespace fluxhook::migrate {

/// The variables of an MPIJob's launcher on their way to the pods, and the references $(NAME) to them.
class LauncherEnv {
public:
  /// All have to outlive it; `main` is the JobSet's main container, which still has the worker's variables.
  LauncherEnv(Migration& migration, const MpiJob& job, Node& main);

  /// Gives the main container the variables that reach the tasks; without a line, all that the launcher has.
  /// `fields`: where mpirun's words stand.
  void merge(const MpiLine* line, std::span<const std::string> fields);

  /// Words as the kubelet made them in the launcher: a reference to a variable that the pods have otherwise
  /// becomes the launcher's value; one that can't be known here is noted. So are mpirun's own variables.
  [[nodiscard]] std::vector<std::string> resolve(const std::vector<std::string>& words,
                                                 std::span<const std::string> fields);
  /// The same with every reference to the launcher's values replaced.
  [[nodiscard]] std::string literal(std::string_view text, std::string_view field);

private:
  void merge_entry(Node entry, const std::string& field, bool handed_on);
  [[nodiscard]] std::string expand(std::string_view text, std::string_view field, bool all);
  [[nodiscard]] std::string value_of(std::string_view name, std::string_view field, bool all);

  Migration& migration_;
  Node launchers_; ///< list of entries
  bool gone_;      ///< the launcher's pod goes
  std::string field_;
  Node& main_;
};

} // namespace fluxhook::migrate
