#include <rapidjson/pointer.h>

#include "encode.h"
#include "fluxhook/flux/names.h"
#include "json_text.h"

namespace fluxhook::admission {
namespace {

/// Writes each kind of value as JSON.
class ValueWriter {
public:
  ValueWriter(JsonText& out, const Json& object, const Json* old) : out_(out), object_(object), old_(old) {}

  void operator()(const flux::EmptyObject&) { out_.raw("{}"); }
  void operator()(const flux::EmptyList&) { out_.raw("[]"); }
  void operator()(bool value) { out_.raw(value ? "true" : "false"); }
  void operator()(std::int64_t value) { out_.number(value); }
  void operator()(const std::string& value) { out_.text(value); }
  void operator()(std::string_view value) { out_.text(value); }
  void operator()(const flux::Words& words) {
    out_.list(words, [&](std::string_view word) { out_.text(word); });
  }

  void operator()(const flux::VolumeValue& volume) {
    using Kind = flux::VolumeValue::Kind;
    out_.raw(R"({"name":)").text(volume.name);
    switch (volume.kind) {
    case Kind::kEmptyDir: out_.raw(R"(,"emptyDir":{})"); break;
    case Kind::kMemory:
      out_.raw(R"(,"emptyDir":{"medium":"Memory")");
      if (!volume.source.empty()) out_.raw(R"(,"sizeLimit":)").text(volume.source);
      out_.raw("}");
      break;
    case Kind::kConfigMap: out_.raw(R"(,"configMap":{"name":)").text(volume.source).raw("}"); break;
    case Kind::kSecret: out_.raw(R"(,"secret":{"secretName":)").text(volume.source).raw("}"); break;
    }
    out_.raw("}");
  }

  void operator()(const flux::MountValue& mount) {
    out_.raw(R"({"name":)").text(mount.name).raw(R"(,"mountPath":)").text(mount.path);
    out_.raw(mount.read_only ? R"(,"readOnly":true})" : "}");
  }

  void operator()(const flux::EnvValue& env) {
    const auto path = std::string("metadata.labels['").append(env.label).append("']");
    out_.raw(R"({"name":)").text(env.name);
    out_.raw(R"(,"valueFrom":{"fieldRef":{"fieldPath":)").text(path).raw("}}}");
  }

  void operator()(const flux::InitContainerValue& container) {
    out_.raw(R"({"name":)").text(flux::kInstaller).raw(R"(,"image":)").text(container.image);
    out_.raw(R"(,"command":)");
    (*this)(flux::Words{flux::kShell, flux::kInit});
    if (container.copy_security_context) {
      out_.raw(R"(,"securityContext":)");
      copy(object_, container.security_context);
    }
    out_.raw(R"(,"volumeMounts":)").list(container.mounts, *this).raw("}");
  }

  void operator()(const flux::AffinityValue& term) {
    out_.raw(R"({"weight":100,"podAffinityTerm":{"labelSelector":{"matchExpressions":[)");
    requirement(flux::kJobSetNameLabel, {term.jobset_name});
    if (!term.replicated_jobs.empty()) {
      out_.raw(",");
      requirement(flux::kReplicatedJobLabel, term.replicated_jobs);
    }
    out_.raw(R"(]},"topologyKey":)").text(flux::kHostTopology).raw("}}");
  }

  void operator()(const flux::LeaderSuccess&) { out_.raw(R"({"rules":[{"succeededIndexes":"0"}]})"); }

  void operator()(const flux::FromOld& from) { copy(*old_, from.pointer); }

private:
  void requirement(std::string_view key, const flux::Words& values) {
    out_.raw(R"({"key":)").text(key).raw(R"(,"operator":"In","values":)");
    (*this)(values);
    out_.raw("}");
  }

  // The plan names only what the decoder has seen; null where it is not there after all.
  void copy(const Json& document, const std::string& pointer) {
    const auto* value = rapidjson::Pointer(pointer.c_str(), pointer.size()).Get(document);
    value != nullptr ? out_.copy(*value) : out_.raw("null");
  }

  JsonText& out_;
  const Json& object_;
  const Json* old_;
};

/// Writes changes as operations. What is added below a parent that the patch itself adds is written as part
/// of it.
class PatchWriter {
public:
  PatchWriter(std::span<const flux::Change> changes, const Json& object, const Json* old)
      : changes_(changes), out_(4096), values_(out_, object, old) {}

  std::string run() {
    out_.raw("[");
    while (next_ < changes_.size())
      operation();
    return out_.raw("]").take();
  }

private:
  void operation() {
    const auto& change = changes_[next_];
    if (next_ != 0) out_.raw(",");
    out_.raw(change.replace ? R"({"op":"replace","path":)" : R"({"op":"add","path":)").text(change.pointer);
    out_.raw(R"(,"value":)");
    value();
    out_.raw("}");
  }

  void value() {
    const auto& change = changes_[next_++];
    if (std::holds_alternative<flux::EmptyObject>(change.value)) {
      children(change.pointer, "{", "}", true);
    } else if (std::holds_alternative<flux::EmptyList>(change.value)) {
      children(change.pointer, "[", "]", false);
    } else {
      std::visit(values_, change.value);
    }
  }

  void children(std::string_view parent, std::string_view open, std::string_view close, bool keyed) {
    out_.raw(open);
    bool first = true;
    for (auto token = child(parent); !token.empty(); token = child(parent)) {
      if (!first) out_.raw(",");
      first = false;
      if (keyed) key(token);
      value();
    }
    out_.raw(close);
  }

  // The last token of the next change's pointer, when that stands directly below `parent`; else "".
  [[nodiscard]] std::string_view child(std::string_view parent) const {
    if (next_ == changes_.size()) return {};
    const std::string_view pointer = changes_[next_].pointer;
    if (!pointer.starts_with(parent) || pointer.size() <= parent.size() || pointer[parent.size()] != '/')
      return {};
    return pointer.substr(parent.size() + 1);
  }

  // A JSON pointer's token as a key (RFC 6901: ~1 is /, ~0 is ~).
  void key(std::string_view token) {
    std::string plain;
    for (std::size_t i = 0; i < token.size(); ++i)
      plain += token[i] != '~' ? token[i] : token[++i] == '1' ? '/' : '~';
    out_.text(plain).raw(":");
  }

  std::span<const flux::Change> changes_;
  JsonText out_;
  ValueWriter values_;
  std::size_t next_ = 0;
};

} // namespace

std::string encode_patch(std::span<const flux::Change> changes, const Json& object, const Json* old) {
  return PatchWriter(changes, object, old).run();
}

} // namespace fluxhook::admission
