#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/config_file.h"
#include "cli/defaults_flags.h"
#include "cli/explain_text.h"
#include "cli/input.h"
#include "cli/mutate_output.h"
#include "cli/mutation.h"
#include "cli/old_objects.h"
#include "cli/options.h"
#include "fluxhook/base/ascii.h"
#include "fluxhook/base/text.h"

namespace fluxhook::cli {
namespace {

using manifest::Node;

struct MutateFlags {
  std::vector<std::string> paths;
  std::string output = "yaml";
  bool output_given = false;
  bool companions = false;
  bool write = false;
  std::string uid, curve_key, curve_derivation, old_file;
  flux::Defaults defaults;
};

/// What stands for the uid that a server would give, and the shape of one.
constexpr std::string_view kNoUid = "00000000-0000-0000-0000-000000000000";

/// Sends each JobSet of the input through the server's code.
class Mutator : public InputHandler {
public:
  Mutator(const MutateFlags& flags, const companion::CurveSource& curve, const OldObjects& old,
          MutateOutput& output, Context& context)
      : flags_(flags), curve_(curve), old_(old), output_(output), context_(context) {}

  void take(const std::string& file, manifest::Document& document) override {
    file_ = &file;
    after_ = document.root;
    changed_ = false;
    companions_.clear();
    bool allowed = true;
    for (Node* object : manifest::objects(after_)) {
      const ObjectKind kind = kind_of(*object);
      any_ = any_ || kind == ObjectKind::kJobSet || kind == ObjectKind::kReview;
      if (kind == ObjectKind::kJobSet) allowed = take_jobset(*object) && allowed;
      if (kind == ObjectKind::kReview) allowed = take_review(*object) && allowed;
      if (const std::string what = near_miss(*object, flags_.defaults.label); !what.empty())
        context_.tell(manifest::place(file, object->at) + ": warning: " + what);
    }
    clean_ = clean_ && allowed;
    if (allowed || kind_of(document.root) == ObjectKind::kReview)
      output_.document({file, document, after_, changed_, std::move(companions_)});
  }

  void end_of_file(const std::string& file, bool clean, const std::string& rest) override {
    output_.end_of_file(file, clean && clean_, rest);
    clean_ = true;
  }

  void end() {
    if (changes_alone() && context_.exit == kDone && !any_)
      context_.tell("fluxhook: note: nothing changes: there is no JobSet here");
  }

private:
  /// Whether the output has nothing to say of what does not change.
  [[nodiscard]] bool changes_alone() const { return flags_.write || flags_.output == "diff"; }

  /// Whether it may be created; denied or undecidable, it has been reported.
  bool take_jobset(Node& object) {
    Subject subject{&object, nullptr, flags_.uid.empty() ? std::string(kNoUid) : flags_.uid, {}, {}};
    if (!flags_.old_file.empty()) {
      subject.old = old_.find(object);
      if (subject.old == nullptr)
        return report(
            fail(manifest::place(*file_, object.at), flags_.old_file + " has no JobSet of this name"));
    }
    const auto decision = decide(subject, *file_, flags_.defaults);
    if (!decision) return report(std::unexpected(decision.error()));
    if (decision->outcome.selected && !flags_.uid.empty() && std::exchange(uid_given_, true))
      return report(fail(manifest::place(*file_, object.at), "--uid is for one JobSet: this is another one"));
    report_findings(subject, *decision);
    if (decision->outcome.denied()) return false;
    note_generated_name(decision->jobset(), object);
    return apply(subject, *decision, object);
  }

  bool apply(const Subject& subject, const Decision& decision, Node& object) {
    auto mutation = mutate_subject(subject, *file_, flags_.defaults);
    if (!mutation) return report(std::unexpected(mutation.error()));
    if (flags_.companions && decision.outcome.selected && !add_companions(decision, object)) return false;
    output_.patch({*file_, object.at, display_name(decision.jobset()), mutation->patch});
    if (mutation->patch == "[]") {
      if (changes_alone())
        context_.tell(manifest::place(*file_, object.at) +
                      ": note: not changed: " + reason({*file_, subject, decision, flags_.defaults}));
      return true;
    }
    object = std::move(mutation->object); // what the decision borrows from is its own copy
    return changed_ = true;
  }

  /// A review is answered, whatever the answer is.
  bool take_review(Node& review) {
    if (flags_.write)
      return report(fail(manifest::place(*file_, review.at),
                         "an AdmissionReview can't be written back: without --write it is answered"));
    auto mutation = mutate_review(review, *file_, flags_.defaults);
    if (!mutation) return report(std::unexpected(mutation.error()));
    if (const auto subject = subject_of_review(review)) {
      if (const auto decision = decide(*subject, *file_, flags_.defaults)) {
        report_findings(*subject, *decision);
        if (mutation->allowed)
          output_.patch({*file_, subject->object->at, display_name(decision->jobset()), mutation->patch});
      }
    }
    review = std::move(mutation->answer);
    changed_ = true;
    return true;
  }

  bool add_companions(const Decision& decision, const Node& object) {
    const Node* metadata = object.find("metadata");
    const std::string uid =
        !flags_.uid.empty() || metadata == nullptr ? flags_.uid : std::string(metadata->get("uid"));
    auto companions = make_companions(decision, uid, curve_, flags_.defaults);
    if (!companions) return report(fail(manifest::place(*file_, object.at), companions.error().text()));
    if (decision.jobset().name_space.empty())
      context_.tell(manifest::place(*file_, object.at) +
                    ": note: no metadata.namespace: the companions are made for the namespace default");
    companions_.push_back(std::move(*companions));
    return true;
  }

  void note_generated_name(const k8s::JobSet& jobset, const Node& object) {
    if (!jobset.name.empty() || jobset.generate_name.empty() || !flags_.uid.empty()) return;
    context_.tell(manifest::place(*file_, object.at) +
                  ": note: a server derives the name from its request's uid: this one stands for it (--uid)");
  }

  void report_findings(const Subject& subject, const Decision& decision) {
    for (const std::string& line : finding_lines(*file_, subject, decision.outcome))
      context_.tell(line);
    if (decision.outcome.denied()) context_.exit = std::max<int>(context_.exit, kFindings);
  }

  bool report(const std::unexpected<Error>& error) {
    context_.report(error.error());
    return false;
  }

  const MutateFlags& flags_;
  companion::CurveSource curve_;
  const OldObjects& old_;
  MutateOutput& output_;
  Context& context_;
  const std::string* file_ = nullptr;
  Node after_;
  bool changed_ = false;
  bool clean_ = true;      ///< so far, of the file
  bool any_ = false;       ///< JobSet or review so far
  bool uid_given_ = false; ///< --uid, to a JobSet
  std::vector<Companions> companions_;
};

/// What --write could not put back: a pipe, a device. A path that is not there is told when it is read.
std::string check_writable(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    std::error_code fault;
    const auto status = std::filesystem::status(path, fault);
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
        !std::filesystem::is_directory(status))
      return "--write needs files: " + path + " is no regular file";
  }
  return {};
}

/// Why the flags can't be taken together; "" when they can.
std::string check(const MutateFlags& flags) {
  const bool documents = flags.output == "yaml" || flags.output == "json";
  if (flags.write && !documents) return "--write takes -o yaml or json";
  if (flags.write && std::ranges::contains(flags.paths, manifest::kStandardInput))
    return "--write needs files: standard input can't be written to";
  if (flags.companions && !documents) return "--companions takes -o yaml or json";
  if (flags.companions && flags.write) return "--companions and --write exclude each other";
  if (!flags.companions && !(flags.curve_key + flags.curve_derivation).empty())
    return "--curve-key and --curve-derivation need --companions";
  if (!flags.curve_key.empty() && !flags.curve_derivation.empty())
    return "--curve-key and --curve-derivation exclude each other";
  return flags.write ? check_writable(flags.paths) : std::string();
}

std::unique_ptr<MutateOutput> make_output(const MutateFlags& flags, Context& context) {
  const bool json = flags.output == "json";
  if (flags.write) return files_output(context, flags.output_given ? std::optional(json) : std::nullopt);
  if (flags.output == "patch") return patch_output(context);
  if (flags.output == "diff") return diff_output(context);
  return documents_output(context, json);
}

void mutate(const MutateFlags& flags, Context& context) {
  if (const std::string fault = check(flags); !fault.empty()) return context.fail(fault);
  companion::CurveSource curve;
  curve.from_uid = !flags.curve_derivation.empty();
  if (!flags.curve_key.empty()) {
    const auto key = companion::read_master_key(flags.curve_key);
    if (!key) return context.fail(key.error().text());
    curve.master = *key;
  }
  OldObjects old;
  if (!flags.old_file.empty()) {
    if (const auto read = old.read(flags.old_file, context.in); !read)
      return context.fail(read.error().text());
  }
  const auto output = make_output(flags, context);
  Mutator mutator(flags, curve, old, *output, context);
  read_input(flags.paths, {}, context, mutator);
  output->end();
  mutator.end();
}

/// As an API server makes them (RFC 4122, section 3): what derives from another spelling is another key.
std::string check_uid(const std::string& text) {
  const bool right = std::ranges::equal(
      text, kNoUid, [](char c, char shape) { return shape == '-' ? c == '-' : is_lower_hex(c); });
  return right ? ""
               : fluxhook::in_quotes(text) +
                     ": must be a uid such as 11111111-2222-3333-4444-555555555555, in small letters";
}

void add_flags(CLI::App& command, MutateFlags& flags) {
  add_paths(command, flags.paths);
  one_of(command.add_option("-o,--output", flags.output, "Format"), "yaml|json|patch|diff")
      ->capture_default_str();
  command.add_flag("--companions", flags.companions, "Print the ConfigMap and the Secret too");
  command.add_option("--uid", flags.uid, "The JobSet's uid, for names and keys that derive from it")
      ->check(check_uid, "", "")
      ->type_name("UID");
  command.add_option("--curve-key", flags.curve_key, "The server's master key, 32 bytes")->type_name("FILE");
  one_of(command.add_option("--curve-derivation", flags.curve_derivation, "Keys from the uid alone"), "uid");
  command.add_option("--old", flags.old_file, "The objects as they are: treat the input as an UPDATE")
      ->type_name("FILE");
  command.add_flag("--write", flags.write, "Change the files in place, instead of printing");
  add_defaults(command, flags.defaults);
}

} // namespace

void add_mutate(CLI::App& app, Context& context) {
  CLI::App& command = *app.add_subcommand("mutate", "Print what the webhook makes of a JobSet");
  auto flags = std::make_shared<MutateFlags>();
  add_flags(command, *flags);
  command.footer("-o diff is what --write would do, for patch -p0.\n"
                 "Examples:\n"
                 "  fluxhook mutate -o diff jobset.yaml\n"
                 "  fluxhook mutate --companions --uid 11111111-2222-3333-4444-555555555555 \\\n"
                 "    --curve-key master.key jobset.yaml | kubectl apply -f -");
  command.callback([&command, &context, flags] {
    if (!apply_config(command, context)) return;
    flags->output_given = command.get_option("--output")->count() > 0;
    mutate(*flags, context);
  });
}

} // namespace fluxhook::cli
