#include "cli/mutate_output.h"

#include <ostream>
#include <utility>

#include <nlohmann/json.hpp>

#include "cli/diff.h"
#include "cli/terminal.h"
#include "cli/write_file.h"
#include "fluxhook/manifest/writer.h"

namespace fluxhook::cli {
namespace {

using manifest::Node;
using Json = nlohmann::ordered_json;

/// Appends a YAML document; what does not start with its own mark gets one, unless it is the first.
void append_yaml(std::string_view text, std::string& out) {
  if (!out.empty() && !text.starts_with("---")) out += "---\n";
  out += text;
  if (!text.ends_with('\n')) out += '\n';
}

std::string yaml_text(const MutatedDocument& document) {
  const bool as_written = !document.changed && !document.before.text.empty();
  return as_written ? document.before.text : manifest::to_yaml(document.after);
}

class DocumentsOutput : public MutateOutput {
public:
  DocumentsOutput(Context& context, bool json) : context_(context), json_(json) {}

  void document(const MutatedDocument& document) override {
    print(json_ ? manifest::to_json(document.after, true) : yaml_text(document));
    for (const Companions& companions : document.companions) {
      print(companions.config_map);
      if (companions.secret) print(*companions.secret);
      if (companions.missing.empty()) continue;
      if (json_) context_.err << "fluxhook: note: " << companions.missing << '\n';
      else context_.out << "# " << companions.missing << ".\n";
    }
  }

private:
  void print(const Node& node) { print(json_ ? manifest::to_json(node, true) : manifest::to_yaml(node)); }

  void print(const std::string& text) {
    if (!json_ && !std::exchange(first_, false) && !text.starts_with("---")) context_.out << "---\n";
    context_.out << text;
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
    context_.out << result.dump(2) << '\n';
  }

private:
  Context& context_;
  std::vector<ObjectPatch> patches_;
};

class DiffOutput : public MutateOutput {
public:
  explicit DiffOutput(Context& context) : context_(context), color_(wants_color()) {}

  void document(const MutatedDocument& document) override {
    if (!document.changed) return;
    const std::string name = manifest::place(document.file, document.before.root.at);
    context_.out << unified_diff(manifest::to_yaml(document.before.root), manifest::to_yaml(document.after),
                                 name, name + " (mutated)", color_);
  }

private:
  Context& context_;
  bool color_;
};

class FilesOutput : public MutateOutput {
public:
  FilesOutput(Context& context, std::optional<bool> json) : context_(context), json_(json) {}

  void document(const MutatedDocument& document) override {
    changed_ = changed_ || document.changed;
    if (json_.value_or(document.before.text.empty())) content_ += manifest::to_json(document.after, true);
    else append_yaml(yaml_text(document), content_);
  }

  void end_of_file(const std::string& file, bool clean) override {
    if (!clean) {
      context_.err << file << ": not written: not all of it could be mutated\n";
    } else if (changed_) {
      if (const auto written = replace_file(file, content_); !written) context_.fail(written.error().text());
      else context_.err << file << ": written\n";
    }
    content_.clear();
    changed_ = false;
  }

private:
  Context& context_;
  std::optional<bool> json_;
  std::string content_;
  bool changed_ = false;
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
  return std::make_unique<FilesOutput>(context, json);
}

} // namespace fluxhook::cli
