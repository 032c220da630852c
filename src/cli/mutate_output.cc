#include "cli/mutate_output.h"

#include <ostream>
#include <utility>

#include <nlohmann/json.hpp>

#include "cli/diff.h"
#include "cli/subject.h"
#include "cli/terminal.h"
#include "fluxhook/base/text.h"
#include "fluxhook/files/write.h"
#include "fluxhook/manifest/comments.h"
#include "fluxhook/manifest/edit.h"
#include "fluxhook/manifest/writer.h"

namespace fluxhook::cli {
namespace {

using manifest::Node;
using Json = nlohmann::ordered_json;

/// The document's YAML, with all that its author wrote where it could be changed in place. What is lost of it
/// is told.
std::string yaml_text(const MutatedDocument& document, Context& context) {
  const std::string& before = document.before.text;
  if (document.before.json || kind_of(document.before.root) == ObjectKind::kReview)
    return document.changed || document.before.json ? manifest::to_yaml(document.after) : before;
  if (!document.changed) return before;
  auto edited = manifest::edit(document.before, document.after);
  const std::string mark = before.starts_with("---") ? "---\n" : "";
  std::string text = edited ? std::move(*edited) : mark + manifest::to_yaml(document.after);
  const std::size_t had = manifest::count_comments(before), has = manifest::count_comments(text);
  const std::string lost =
      had <= has ? "no comment is lost"
                 : std::to_string(had - has) + (had - has == 1 ? " comment is lost" : " comments are lost");
  const std::string where = manifest::place(document.file, document.before.root.at) + ": warning: ";
  if (!edited) context.tell(where + "laid out anew, since it can't be changed where it stands; " + lost);
  else if (had > has)
    context.tell(where + lost + (had - has == 1 ? ": it stands" : ": they stand") + " in what is replaced");
  return text;
}

/// The same of a JSON document that changes.
std::string json_text(const MutatedDocument& document, Context& context) {
  if (auto edited = manifest::edit(document.before, document.after)) return std::move(*edited);
  context.tell(manifest::place(document.file, document.before.root.at) +
               ": warning: laid out anew: its layout follows no rule that could be kept");
  return manifest::to_json(document.after, true);
}

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

class DocumentsOutput : public MutateOutput {
public:
  DocumentsOutput(Context& context, bool json) : context_(context), json_(json) {}

  void document(const MutatedDocument& document) override {
    if (json_) print(document.after);
    else print(document.before.lead, yaml_text(document, context_));
    for (const Companions& companions : document.companions) {
      print(companions.config_map);
      if (companions.secret) print(*companions.secret);
      if (companions.missing.empty()) continue;
      context_.tell("fluxhook: note: " + companions.missing);
      if (!json_) context_.out << "# " << printable(companions.missing) << ".\n";
    }
  }

  /// Comments at the end.
  void end_of_file(const std::string&, bool, const std::string& rest) override {
    if (!json_ && rest.contains('#')) context_.out << rest;
  }

private:
  void print(const Node& node) {
    if (json_) context_.out << manifest::to_json(node, true);
    else print({}, manifest::to_yaml(node));
  }

  /// What does not start with its own mark gets one, unless it is the first.
  void print(std::string_view lead, const std::string& text) {
    if (lead.starts_with(kByteOrderMark)) lead.remove_prefix(kByteOrderMark.size());
    if (!std::exchange(first_, false) && !text.starts_with("---")) context_.out << "---\n";
    context_.out << lead << text;
    if (!text.ends_with('\n')) context_.out << '\n';
  }

  Context& context_;
  bool json_;
  bool first_ = true;
};

class PatchOutput : public MutateOutput {
public:
  explicit PatchOutput(Context& context) : context_(context) {}

  void patch(const ObjectPatch& patch) override { patches_.push_back(patch); }

  void end() override {
    Json result = Json::array();
    for (const ObjectPatch& one : patches_) {
      Json patch = Json::parse(one.patch);
      if (patches_.size() == 1) result = std::move(patch);
      else
        result.push_back(
            {{"file", one.file}, {"line", one.at.line}, {"name", one.name}, {"patch", std::move(patch)}});
    }
    context_.out << result.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
  }

private:
  Context& context_;
  std::vector<ObjectPatch> patches_;
};

/// Puts files together, each in the form that its documents have, or all as `json` says.
class FilesOutput : public MutateOutput {
public:
  FilesOutput(Context& context, std::optional<bool> json) : context_(context), json_(json) {}

  void document(const MutatedDocument& document) override {
    changed_ = changed_ || document.changed;
    before_ += document.before.lead + document.before.text;
    if (json_.value_or(document.before.json)) {
      if (!json_) content_ += document.before.lead; // a byte order mark
      if (!document.before.json) content_ += manifest::to_json(document.after, true);
      else content_ += document.changed ? json_text(document, context_) : document.before.text;
    } else {
      const std::string text = yaml_text(document, context_);
      if (!content_.empty() && !text.starts_with("---")) content_ += "---\n";
      content_ += document.before.lead + text;
    }
  }

  void end_of_file(const std::string& file, bool clean, const std::string& rest) override {
    if (!clean) refuse(file, "not all of it could be mutated");
    else if (changed_) put(file, before_ + rest, content_ + (json_.value_or(false) ? std::string() : rest));
    before_.clear();
    content_.clear();
    changed_ = false;
  }

protected:
  /// What becomes of a file that changes.
  virtual void put(const std::string& file, std::string_view before, std::string_view after) = 0;
  virtual void refuse(const std::string& file, std::string_view why) = 0;
  [[nodiscard]] Context& context() { return context_; }

private:
  Context& context_;
  std::optional<bool> json_;
  std::string before_, content_;
  bool changed_ = false;
};

class DiffOutput : public FilesOutput {
public:
  explicit DiffOutput(Context& context) : FilesOutput(context, {}), color_(wants_color()) {}

private:
  void put(const std::string& file, std::string_view before, std::string_view after) override {
    const std::string name = diff_name(manifest::place(file, {}));
    context().out << unified_diff(before, after, name, name, color_);
  }

  void refuse(const std::string& file, std::string_view why) override {
    context().tell(manifest::place(file, {}) + ": no diff: " + std::string(why));
  }

  bool color_;
};

class WriteOutput : public FilesOutput {
public:
  using FilesOutput::FilesOutput;

private:
  void put(const std::string& file, std::string_view, std::string_view after) override {
    if (const auto written = files::replace_file(file, after); !written)
      context().fail(written.error().text());
    else context().tell(file + ": written");
  }

  void refuse(const std::string& file, std::string_view why) override {
    context().tell(file + ": not written: " + std::string(why));
  }
};

} // namespace

std::unique_ptr<MutateOutput> documents_output(Context& context, bool json) {
  return std::make_unique<DocumentsOutput>(context, json);
}

std::unique_ptr<MutateOutput> patch_output(Context& context) {
  return std::make_unique<PatchOutput>(context);
}

std::unique_ptr<MutateOutput> diff_output(Context& context) { return std::make_unique<DiffOutput>(context); }

std::unique_ptr<MutateOutput> files_output(Context& context, std::optional<bool> json) {
  return std::make_unique<WriteOutput>(context, json);
}

} // namespace fluxhook::cli
