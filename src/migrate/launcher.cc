#include "migrate/launcher.h"

#include <span>

#include "migrate/launcher_env.h"
#include "migrate/worker_start.h"

namespace fluxhook::migrate {
namespace {

/// The launcher's command and args as one line, and where each word stands.
struct Words {
  std::vector<std::string> words;
  std::vector<std::string> fields;
  bool without_command = false;
};

Result<Words> words_of(const Node& container, const std::string& field) {
  Words all;
  for (const std::string_view key : {"command", "args"}) {
    const std::string list_field = field_of(field, key);
    const auto words = strings(container.find(key), list_field);
    if (!words) return std::unexpected(words.error());
    if (key == "command") all.without_command = words->empty();
    for (std::size_t i = 0; i < words->size(); ++i) {
      all.words.push_back((*words)[i]);
      all.fields.push_back(field_of(list_field, i));
    }
  }
  return all;
}

class Launcher {
public:
  Launcher(Migration& migration, const MpiJob& job)
      : migration_(migration), job_(job), replica_(job.gone ? *job.gone : job.kept),
        index_(job.gone ? job.gone_container : job.kept_container), container_(replica_.container(index_)),
        field_(replica_.container_field(index_)),
        main_(list_at(migration.pod(), "containers").items[job.kept_container]) {}

  Result<void> carry() {
    auto words = words_of(container_, field_);
    if (!words) return std::unexpected(words.error());
    if (job_.gone) drop_worker_start(migration_, job_, main_);
    const auto line = read(*words);
    if (line) take(*line, *words);
    else leave(*words);
    if (job_.gone) compare();
    order_container(main_);
    return {};
  }

private:
  /// None: it is left as it is, which has been noted.
  std::optional<MpiLine> read(const Words& words) {
    if (words.words.empty()) {
      migration_.note(Fate::kDecide, field_, kNoCommand);
      return std::nullopt;
    }
    const std::string& first = words.words.front();
    if (!is_mpirun(first)) {
      migration_.note(
          Fate::kDecide, words.fields.front(),
          first + " is no mpirun, so the command is left as it is: flux run starts it once for each task. "
                  "Take an mpirun out of it");
      return std::nullopt;
    }
    std::string why;
    for (const Mpi mpi : job_.mpi) {
      auto line = read_mpirun(words.words, mpi);
      if (line) return std::move(*line);
      if (why.empty()) why = line.error().what;
    }
    migration_.note(Fate::kDecide, words.fields.front(), "its command line is left as it is: " + why);
    return std::nullopt;
  }

  void leave(const Words& words) {
    LauncherEnv env(migration_, job_, main_);
    env.merge(nullptr, words.fields);
    set_command(words, env.resolve(words.words, words.fields));
    directory({});
    migration_.spread(job_.pods * job_.slots, job_.pods, job_.slots, slots_field());
  }

  void take(const MpiLine& line, const Words& words) {
    LauncherEnv env(migration_, job_, main_);
    env.merge(&line, words.fields);
    set_command(words, env.resolve(line.program, std::span(words.fields).subspan(line.program_word)));
    directory(env.literal(line.directory, words.fields.front()));
    for (const MpiLine::Remark& remark : line.remarks)
      migration_.note(remark.fate, words.fields[remark.word], remark.text);
    count(line, words.fields.front());
    if (line.cores_per_task)
      migration_.set("cores-per-task", std::to_string(*line.cores_per_task), words.fields.front());
    migration_.run_with(line.run_options, words.fields.front());
  }

  void set_command(const Words& words, const std::vector<std::string>& command) {
    erase(main_, "command");
    erase(main_, "args");
    if (!command.empty()) put(main_, "command", words_node(command));
    for (const std::string_view key : {"command", "args"}) {
      if (!is_blank(container_.find(key)))
        migration_.note(Fate::kChanged, field_of(field_, key),
                        "the command of all pods, which flux run starts");
    }
    if (words.without_command && !words.words.empty())
      migration_.note(Fate::kChanged, field_of(field_, "args"),
                      "the image's entrypoint, which can't be known, runs no more");
  }

  /// Where slots are said; else the command's place.
  [[nodiscard]] std::string slots_field() const {
    const bool there = at_path(migration_.source(), "spec.slotsPerWorker") != nullptr;
    return there ? "spec.slotsPerWorker" : field_;
  }

  void count(const MpiLine& line, const std::string& field) {
    const std::int64_t per_node = line.tasks_per_node.value_or(job_.slots);
    if (job_.alone) {
      migration_.spread(line.tasks.value_or(per_node), 1, 0, slots_field());
      return;
    }
    const std::int64_t all = job_.pods * per_node;
    const std::int64_t tasks = line.tasks.value_or(all);
    const bool said_twice = line.tasks_per_node && *line.tasks_per_node != job_.slots;
    if (said_twice && slots_field() != field_)
      migration_.note(Fate::kDropped, slots_field(), "mpirun says how many tasks a node has");
    const bool even = migration_.spread(tasks, job_.pods, per_node, said_twice ? field : slots_field());
    if (!even)
      migration_.note(Fate::kDecide, field,
                      std::to_string(tasks) + " tasks are not " + std::to_string(job_.pods) + " pods with " +
                          std::to_string(per_node) +
                          " each, which mpirun fills one after the other: they are spread over the pods");
  }

  /// mpirun starts tasks where it is itself, unless it is told another place.
  void directory(std::string_view told) {
    const Node* const own = job_.gone ? container_.find("workingDir") : nullptr;
    const Node* const there = main_.find("workingDir");
    if (!is_blank(own) && !told.empty())
      migration_.note(Fate::kDropped, field_of(field_, "workingDir"), "mpirun says another one");
    else if (!is_blank(own) && (there == nullptr || !manifest::equal(*own, *there)))
      migration_.note(Fate::kChanged, field_of(field_, "workingDir"),
                      "the directory of all tasks, as mpirun's was");
    if (job_.gone && is_blank(own) && told.empty() && !is_blank(there))
      migration_.note(Fate::kChanged, field_of(job_.kept.container_field(job_.kept_container), "workingDir"),
                      "the directory of all tasks; mpirun's was the one of the launcher's image");
    if (!told.empty()) put(main_, "workingDir", text_node(told));
    else if (!is_blank(own)) put(main_, "workingDir", *own);
  }

  /// What the launcher's pod had and the workers' hasn't.
  void compare() {
    const Node& worker = job_.kept.container(job_.kept_container);
    if (container_.get("image") != worker.get("image"))
      migration_.note(Fate::kDecide, field_of(field_, "image"),
                      "all pods have the worker's image, which is another one");
    const Difference difference{job_.launcher_works ? Fate::kDecide : Fate::kDropped, Told::kOther,
                                "there is no launcher: all pods are like the workers', which differ here"};
    compare_members(migration_, container_, field_, worker,
                    {"name", "image", "command", "args", "env", "workingDir"}, difference);
    compare_pods(migration_, replica_, job_.kept, difference);
    compare_sidecars(migration_, replica_, index_, job_.kept, difference);
  }

  Migration& migration_;
  const MpiJob& job_;
  const Replica& replica_;
  std::size_t index_;
  const Node& container_;
  std::string field_;
  Node& main_; ///< of the JobSet
};

} // namespace

Result<void> carry_launcher(Migration& migration, const MpiJob& job) {
  return Launcher(migration, job).carry();
}

} // namespace fluxhook::migrate
