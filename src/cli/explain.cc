#include <algorithm>
#include <memory>
#include <ostream>

#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/config_file.h"
#include "cli/defaults_flags.h"
#include "cli/explain_text.h"
#include "cli/input.h"
#include "cli/options.h"
#include "cli/terminal.h"

namespace fluxhook::cli {
namespace {

using manifest::Node;

struct ExplainFlags {
  std::vector<std::string> paths;
  std::string output = "text";
  flux::Defaults defaults;
};

/// Explains each JobSet of the input; other kinds in one line.
class Explainer : public InputHandler {
public:
  Explainer(const ExplainFlags& flags, Context& context)
      : flags_(flags), context_(context), json_(flags.output == "json"), color_(wants_color()) {
    if (json_) context_.out << "[";
  }

  void take(const std::string& file, manifest::Document& document) override {
    for (const Node* object : manifest::objects(document.root))
      take_object(file, *object);
  }

  void end() {
    if (json_) context_.out << (first_ ? "]\n" : "\n]\n");
  }

private:
  void take_object(const std::string& file, const Node& object) {
    Node made;
    const auto subject = subject_of(object, made);
    if (!subject) return describe(file, object);
    const auto decision = decide(*subject, file, flags_.defaults);
    if (!decision) return context_.report(decision.error());
    const Explained explained{file, *subject, *decision, flags_.defaults};
    if (json_) context_.out << (first_ ? "\n" : ",\n") << explanation_json(explained);
    else context_.out << explanation(explained, color_);
    first_ = false;
    if (decision->outcome.denied()) context_.exit = std::max<int>(context_.exit, kFindings);
  }

  void describe(const std::string& file, const Node& object) {
    const std::string place = manifest::place(file, object.at);
    if (const std::string what = near_miss(object, flags_.defaults.label); !what.empty())
      return context_.tell(place + ": warning: " + what);
    const std::string what = is_kubernetes_object(object) ? std::string(object.get("kind")) + " of " +
                                                                std::string(object.get("apiVersion"))
                                                          : "not a Kubernetes object";
    context_.tell(place + ": note: " + what + ": only JobSets of jobset.x-k8s.io/v1alpha2 are injected");
  }

  const ExplainFlags& flags_;
  Context& context_;
  bool json_;
  bool color_;
  bool first_ = true;
};

void explain(const ExplainFlags& flags, Context& context) {
  if (!has_paths(flags.paths, context)) return; // before anything is printed
  Explainer explainer(flags, context);
  read_input(flags.paths, {}, context, explainer);
  explainer.end();
}

} // namespace

void add_explain(CLI::App& app, Context& context) {
  CLI::App& command = *app.add_subcommand("explain", "Why a JobSet is or isn't injected, and each change");
  auto flags = std::make_shared<ExplainFlags>();
  add_paths(command, flags->paths);
  one_of(command.add_option("-o,--output", flags->output, "Format"), "text|json")->capture_default_str();
  add_defaults(command, flags->defaults);
  command.footer("Examples:\n"
                 "  fluxhook explain jobset.yaml\n"
                 "  kubectl get jobset lammps -o yaml | fluxhook explain -o json -");
  command.callback([&command, &context, flags] {
    if (!apply_config(command, context)) return;
    explain(*flags, context);
  });
}

} // namespace fluxhook::cli
