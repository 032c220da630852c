#include <algorithm>

#include "fluxhook/base/shell_words.h"
#include "fluxhook/base/text.h"
#include "migrate/minicluster.h"

namespace fluxhook::migrate {
namespace {

constexpr std::string_view kPods =
    "ran in every pod before the broker; it runs in each task, before the command";

/// The texts of a container that are commands.
class Commands {
public:
  Commands(Migration& migration, const Node& source, std::string field)
      : migration_(migration), source_(source), field_(std::move(field)) {}

  [[nodiscard]] std::string text(std::string_view key) const {
    return std::string(scalar_text(at_path(source_, key)));
  }
  [[nodiscard]] bool on(std::string_view key) const { return is_true(source_.find(key)); }

  /// Notes a text, or a flag, that is there; what says nothing is noted as such.
  void note(std::string_view key, Fate fate, std::string_view what) {
    const Node* const value = at_path(source_, key);
    if (value == nullptr) return;
    std::string path = field_;
    for (const std::string_view part : split(key, '.'))
      path = field_of(path, part);
    migration_.note(is_blank(value) ? Fate::kDropped : fate, path,
                    is_blank(value) ? "it is off or empty" : what);
  }

private:
  Migration& migration_;
  const Node& source_;
  std::string field_;
};

/// Whether a shell would do nothing to a text but split it at blanks. A word with `=` in front would be a
/// variable.
bool is_plain(std::string_view text) {
  const std::string_view first = text.substr(0, text.find_first_of(" \t"));
  return text.find_first_of("'\"\\$`*?[]{}()<>|&;#~!\n") == text.npos && !first.contains('=');
}

/// With a line break at its end, if it is any text.
std::string lines(std::string text) {
  while (text.ends_with('\n'))
    text.pop_back();
  return text.empty() ? text : text + "\n";
}

/// Each line a job, whose output goes to files, as in the operator's batch script; raw: the lines themselves.
std::string batch(std::string_view command, bool raw, const std::string& folder) {
  const std::string prepare = "mkdir -p " + shell_word(folder) + "\n";
  if (raw) return prepare + lines(std::string(command));
  std::string script = prepare;
  std::size_t number = 0;
  for (const std::string_view line : split(command, '\n')) {
    const std::string file = folder + "/job-" + std::to_string(number++);
    if (line.empty()) continue;
    script += "flux submit --flags=waitable --output=" + shell_word(file + ".out") +
              " --error=" + shell_word(file + ".err") + " " + std::string(line) + "\n";
  }
  return script + "flux job wait --all\n";
}

/// The kubelet makes one `$` of two, and replaces `$(NAME)`, where the operator's script came in a file.
std::string escaped(std::string_view script) {
  std::string out;
  for (std::size_t i = 0; i < script.size(); ++i) {
    const std::string_view rest = script.substr(i);
    if (rest.starts_with("$$") || rest.starts_with("$(")) out += '$';
    out += script[i];
  }
  return out;
}

void set_script(Node& container, const std::string& script) {
  put(container, "command", words_node({"/bin/bash", "-c", escaped(script)}));
}

/// Without a command nothing runs in the pods but brokers.
void note_interactive(Commands& commands) {
  for (const std::string_view key : {"commands.init", "commands.pre", "commands.post", "commands.brokerPre",
                                     "commands.workerPre", "commands.prefix", "commands.servicePre"})
    commands.note(key, Fate::kDecide,
                  "an interactive instance runs nothing by itself: an init container can do it");
  for (const std::string_view key : {"command", "commands.script", "launcher", "batch", "batchRaw", "logs"})
    commands.note(key, Fate::kDropped, "there is no command");
}

/// What becomes of the rest of a command that runs. `once`: on the lead alone, where the operator ran it so.
void note_parts(Commands& commands, bool once) {
  commands.note("batch", Fate::kChanged,
                "a script that submits the jobs, started once, on the lead: it takes a core");
  commands.note("batchRaw", Fate::kChanged, "the script is the command's lines");
  commands.note(
      "launcher", Fate::kChanged,
      "run-options -N1 -n1 -c1: the command is started once, on the lead, and takes a core of the instance");
  for (const std::string_view key : {"commands.init", "commands.pre"})
    commands.note(key, once ? Fate::kDecide : Fate::kChanged,
                  once ? "ran in every pod before the broker; it runs once, before the command" : kPods);
  commands.note("commands.post", once ? Fate::kDecide : Fate::kChanged,
                "ran in every pod after the broker; it runs after the command, where that runs");
  for (const std::string_view key : {"commands.brokerPre", "commands.workerPre", "commands.prefix"})
    commands.note(key, Fate::kDecide,
                  "nothing runs around the broker: an init container, or the command, can do it");
  commands.note("commands.servicePre", Fate::kDropped, "it is for other containers");
  commands.note("commands.script", Fate::kChanged, "the command, by /bin/bash -c");
}

} // namespace

bool convert_flux_command(Migration& migration, const Node& source, const std::string& field,
                          Node& container) {
  Commands commands(migration, source, field);
  const bool is_batch = commands.on("batch");
  const bool once = is_batch || commands.on("launcher");
  const std::string script = commands.text("commands.script");
  std::string command = lines(script.empty() ? commands.text("command") : script);
  const std::string logs = commands.text("logs");
  if (is_batch) command = batch(command, commands.on("batchRaw"), logs.empty() ? "/tmp/fluxout" : logs);
  const std::string before = lines(commands.text("commands.init")) + lines(commands.text("commands.pre"));
  const std::string after = lines(commands.text("commands.post"));

  if (command.empty()) {
    note_interactive(commands);
    return false;
  }
  commands.note("logs", is_batch ? Fate::kCarried : Fate::kDropped,
                is_batch ? "where the command's jobs write to" : "the job's output is in the lead's log");
  note_parts(commands, once);
  const bool plain = is_plain(lines(command).substr(0, command.size() - 1)) && script.empty() && !is_batch;
  if (plain && (before + after).empty()) {
    put(container, "command", words_node(*split_shell_words(command)));
    commands.note("command", Fate::kCarried, "command of the container");
  } else {
    const bool last = after.empty();
    const std::string tail = last ? "" : "status=$?\n" + after + "exit $status\n";
    set_script(container, before + (plain && last ? "exec " : "") + command + tail);
    commands.note("command", Fate::kChanged,
                  "by /bin/bash -c, which takes quotes and variables as a shell does");
  }
  order_container(container);
  return once;
}

void convert_side_command(Migration& migration, const Node& source, const std::string& field,
                          Node& container) {
  Commands commands(migration, source, field);
  const std::string command = lines(commands.text("command"));
  const std::string before =
      lines(commands.text("commands.init")) + lines(commands.text("commands.servicePre"));
  const std::string after = lines(commands.text("commands.post"));
  for (const std::string_view key : {"commands.init", "commands.servicePre", "commands.post"})
    commands.note(key, Fate::kChanged, "part of the container's command; Flux is not there");
  for (const std::string_view key :
       {"commands.pre", "commands.brokerPre", "commands.workerPre", "commands.prefix", "commands.script"})
    commands.note(key, Fate::kDecide, "it is for the container that runs Flux");
  for (const std::string_view key : {"launcher", "batch", "batchRaw", "logs"})
    commands.note(key, Fate::kDropped, "it is for the container that runs Flux");
  if ((before + command + after).empty()) return commands.note("command", Fate::kDropped, {});
  if (is_plain(command.substr(0, command.size() - (command.empty() ? 0 : 1))) && (before + after).empty()) {
    put(container, "command", words_node(*split_shell_words(command)));
    commands.note("command", Fate::kCarried, "command of the container");
  } else {
    set_script(container, before + command + after);
    commands.note("command", Fate::kChanged, "by /bin/bash -c; Flux is not there");
  }
  order_container(container);
}

} // namespace fluxhook::migrate
