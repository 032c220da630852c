#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/config_file.h"
#include "cli/input.h"
#include "cli/migrate_report.h"
#include "cli/options.h"
#include "cli/subject.h"
#include "fluxhook/manifest/writer.h"

namespace fluxhook::cli {
namespace {

using manifest::Node;
using migrate::Fate;

struct MigrateFlags {
  std::vector<std::string> paths;
  std::string target = "jobset";
  std::string output = "yaml";
  std::string report;
};

std::string cant_write(const std::string& file, int error) {
  return "can't write " + file + ": " + std::strerror(error);
}

/// Prints what each job of the input becomes; other objects are passed over.
class Migrator : public InputHandler {
public:
  Migrator(const MigrateFlags& flags, Context& context) : flags_(flags), context_(context) {}

  void take(const std::string& file, manifest::Document& document) override {
    for (const Node* object : manifest::objects(document.root)) {
      if (migrate::can_migrate(*object)) take_job(file, *object);
      else ++summary_.others;
    }
  }

  void fault(const Error&) override { ++summary_.unreadable; }

  void end() {
    if (summary_.migrated + summary_.unreadable == 0)
      context_.fail("nothing to migrate: there is no MPIJob, PyTorchJob or MiniCluster in the input");
    context_.tell("fluxhook: " + summary_.text());
    if (!flags_.report.empty()) write_report();
    const bool open = summary_.fates.at(static_cast<std::size_t>(Fate::kDecide)) > 0;
    if (open) context_.exit = std::max<int>(context_.exit, kFindings);
  }

private:
  void take_job(const std::string& file, const Node& object) {
    const auto target = flags_.target == "jobset" ? migrate::Target::kJobSet : migrate::Target::kTrainJob;
    auto migrated = migrate::migrate(object, target);
    if (!migrated) {
      const Error& error = migrated.error();
      ++summary_.unreadable;
      return context_.report({manifest::place(file, manifest::locate(object, error.where)), error.text()});
    }
    MigratedObject done{file, object.at, std::string(object.get("kind")), {}, std::move(*migrated)};
    judge(done);
    compare_names(done, manifest::locate(object, "metadata.name"));
    summary_.count(done);
    for (const std::string& line : note_lines(done))
      context_.tell(line);
    for (const Node& made : done.result.objects)
      print(made);
    if (!flags_.report.empty()) done_.push_back(std::move(done));
  }

  /// The webhook's own rules have the last word on the result.
  void judge(MigratedObject& object) const {
    const auto decision = decide({&object.result.jobset, nullptr, {}}, object.file, {});
    if (!decision) {
      object.result.notes.push_back({Fate::kDecide, {}, object.at, decision.error().what});
      return;
    }
    object.name = display_name(decision->jobset());
    for (const flux::Finding& finding : decision->outcome.findings) {
      if (finding.severity() == flux::Severity::kError)
        object.result.notes.push_back(
            {Fate::kDecide, {}, object.at, "the webhook denies the result: " + finding_text(finding, {})});
    }
  }

  /// Of two objects with one kind, namespace and name, kubectl apply leaves the last.
  void compare_names(MigratedObject& object, manifest::Position at) {
    const std::string place = manifest::place(object.file, at);
    for (const Node& made : object.result.objects) {
      const Node& metadata = *made.find("metadata");
      const std::string name =
          std::string(metadata.get("namespace")) + "/" + std::string(metadata.get("name"));
      if (metadata.get("name").empty()) continue; // generated
      const auto [first, is_new] = places_.try_emplace(std::string(made.get("kind")) + " " + name, place);
      if (!is_new)
        object.result.notes.push_back({Fate::kDecide, "metadata.name", at,
                                       "a second " + first->first + "; the first comes from " +
                                           first->second + ". Give one of them another name"});
    }
  }

  void print(const Node& object) {
    if (flags_.output == "json") {
      context_.out << manifest::to_json(object, true);
      return;
    }
    context_.out << (first_ ? "" : "---\n") << manifest::to_yaml(object);
    first_ = false;
  }

  void write_report() {
    std::ofstream file(flags_.report, std::ios::binary);
    file << migration_json(done_, summary_) << std::flush;
    if (!file) context_.fail(cant_write(flags_.report, errno));
  }

  const MigrateFlags& flags_;
  Context& context_;
  MigrationSummary summary_;
  std::vector<MigratedObject> done_;          ///< for the report, if there is to be one
  std::map<std::string, std::string> places_; ///< of what is made: "KIND NAMESPACE/NAME", and its source's
  bool first_ = true;
};

/// Why a report can't go there, told before anything is printed: nothing can be written there, or it would
/// destroy what is read, or mix with what is printed.
std::optional<std::string> why_no_report(const MigrateFlags& flags) {
  namespace fs = std::filesystem;
  if (flags.report.empty()) return std::nullopt;
  if (flags.report == "-") return "--report takes a file: the result goes to standard output";
  std::error_code error;
  if (fs::is_directory(flags.report, error)) return cant_write(flags.report, EISDIR);
  const fs::path changed = fs::exists(flags.report, error) ? fs::path(flags.report)
                                                           : fs::absolute(flags.report, error).parent_path();
  if (::access(changed.c_str(), W_OK) != 0) return cant_write(flags.report, errno);
  if (!fs::is_regular_file(flags.report, error)) return std::nullopt;
  const auto is_report = [&](const std::string& file) {
    return fs::equivalent(flags.report, file == "-" ? "/dev/stdin" : file, error);
  };
  if (is_report("/dev/stdout")) return "--report " + flags.report + " is where the result goes";
  for (const std::string& path : flags.paths)
    if (std::ranges::any_of(manifest::find_files(path).files, is_report))
      return "--report " + flags.report + " is one of the inputs: name another file";
  return std::nullopt;
}

void add_flags(CLI::App& command, MigrateFlags& flags) {
  add_paths(command, flags.paths);
  one_of(command.add_option("-t,--to", flags.target,
                            "What they become: a labelled JobSet, or a TrainJob with its runtime"),
         "jobset|trainjob")
      ->capture_default_str();
  one_of(command.add_option("-o,--output", flags.output, "Format"), "yaml|json")->capture_default_str();
  command.add_option("--report", flags.report, "Write what became of each field to a file, as JSON")
      ->type_name("FILE");
}

} // namespace

void add_migrate(CLI::App& app, Context& context) {
  CLI::App& command = *app.add_subcommand("migrate", "Make JobSets of MPIJobs, PyTorchJobs and MiniClusters");
  auto flags = std::make_shared<MigrateFlags>();
  add_flags(command, *flags);
  command.footer(
      "Each field that is not carried over is told on stderr as dropped, changed, or to decide; exit code 1: "
      "there is something to decide. Objects of other kinds are passed over.\n"
      "Examples:\n"
      "  fluxhook migrate mpijob.yaml > jobset.yaml\n"
      "  kubectl get miniclusters -o yaml | fluxhook migrate -t trainjob --report report.json -");
  command.callback([&command, &context, flags] {
    if (!apply_config(command, context)) return;
    if (const auto why = why_no_report(*flags)) return context.fail(*why);
    Migrator migrator(*flags, context);
    read_input(flags->paths, {}, context, migrator);
    if (!flags->paths.empty()) migrator.end();
  });
}

} // namespace fluxhook::cli
