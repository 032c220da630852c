#include "cli/mutate_output.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <system_error>
#include <utility>

#include <nlohmann/json.hpp>

#include "cli/diff.h"
#include "cli/terminal.h"
#include "cli/write_file.h"
#include "fluxhook/base/text.h"
#include "fluxhook/manifest/comments.h"
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
      if (json_) context_.tell("fluxhook: note: " + companions.missing);
      else context_.out << "# " << printable(companions.missing) << ".\n";
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
    context_.out << result.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
  }

private:
  Context& context_;
  std::vector<ObjectPatch> patches_;
};

/// A regular file's bytes: its documents' texts leave out line ends of CR LF and what stands before the
/// first. None: it can't be read twice.
std::optional<std::string> read_again(const std::string& path) {
  std::error_code fault;
  if (path == manifest::kStandardInput || !std::filesystem::is_regular_file(path, fault)) return {};
  std::ifstream file(path, std::ios::binary);
  std::string content((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  return file ? std::optional(std::move(content)) : std::nullopt;
}

/// Puts files together, each in the form that its documents have, or all as `json` says.
class FilesOutput : public MutateOutput {
public:
  FilesOutput(Context& context, std::optional<bool> json) : context_(context), json_(json) {}

  void document(const MutatedDocument& document) override {
    changed_ = changed_ || document.changed;
    const std::string& text = document.before.text;
    before_ += text.empty() ? manifest::to_json(document.before.root, true) : text;
    if (json_.value_or(text.empty())) content_ += manifest::to_json(document.after, true);
    else append_yaml(yaml_text(document), content_);
  }

  void end_of_file(const std::string& file, bool clean) override {
    if (!clean) refuse(file, "not all of it could be mutated");
    else if (changed_) take(file);
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
  void take(const std::string& file) {
    const std::string before = read_again(file).value_or(before_);
    const std::size_t lost = manifest::count_comments(before) - manifest::count_comments(content_);
    if (lost > 0)
      context_.tell(manifest::place(file, {}) + ": warning: " + std::to_string(lost) +
                    (lost == 1 ? " comment is lost" : " comments are lost") +
                    ": a document that changes is laid out anew");
    put(file, before, content_);
  }

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
    std::string name = printable(manifest::place(file, {}));
    if (name.contains(' ')) name += '\t'; // ends a name with blanks
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
    if (const auto written = replace_file(file, after); !written) context().fail(written.error().text());
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
