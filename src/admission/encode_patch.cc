#include <rapidjson/pointer.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include "encode.h"
#include "fluxhook/flux/names.h"

namespace fluxhook::admission {
namespace {

using Writer = rapidjson::Writer<rapidjson::StringBuffer>;

/// Writes each kind of value as JSON.
class ValueWriter {
public:
  ValueWriter(Writer& writer, const Json& object, const Json* old)
      : writer_(writer), object_(object), old_(old) {}

  void operator()(const flux::EmptyObject&) {
    object([] {});
  }
  void operator()(const flux::EmptyList&) {
    list([] {});
  }
  void operator()(bool value) { writer_.Bool(value); }
  void operator()(std::int64_t value) { writer_.Int64(value); }
  void operator()(const std::string& value) { text(value); }
  void operator()(std::string_view value) { text(value); }
  void operator()(const flux::Words& words) {
    list([&] {
      for (const auto word : words)
        text(word);
    });
  }

  void operator()(const flux::VolumeValue& volume) {
    using Kind = flux::VolumeValue::Kind;
    object([&] {
      member("name", volume.name);
      switch (volume.kind) {
      case Kind::kEmptyDir: return named("emptyDir", [] {});
      case Kind::kMemory:
        return named("emptyDir", [&] {
          member("medium", "Memory");
          if (!volume.source.empty()) member("sizeLimit", volume.source);
        });
      case Kind::kConfigMap: return named("configMap", [&] { member("name", volume.source); });
      case Kind::kSecret: return named("secret", [&] { member("secretName", volume.source); });
      }
    });
  }

  void operator()(const flux::MountValue& mount) {
    object([&] {
      member("name", mount.name);
      member("mountPath", mount.path);
      if (mount.read_only) {
        text("readOnly");
        writer_.Bool(true);
      }
    });
  }

  void operator()(const flux::EnvValue& env) {
    object([&] {
      member("name", env.name);
      named("valueFrom", [&] {
        named("fieldRef",
              [&] { member("fieldPath", std::string("metadata.labels['").append(env.label) + "']"); });
      });
    });
  }

  void operator()(const flux::InitContainerValue& container) {
    object([&] {
      member("name", flux::kInstaller);
      member("image", container.image);
      text("command");
      (*this)(flux::Words{flux::kShell, flux::kInit});
      if (container.copy_security_context) {
        text("securityContext");
        copy(object_, container.security_context);
      }
      text("volumeMounts");
      list([&] {
        for (const auto& mount : container.mounts)
          (*this)(mount);
      });
    });
  }

  void operator()(const flux::AffinityValue& term) {
    object([&] {
      text("weight");
      writer_.Int(100);
      named("podAffinityTerm", [&] {
        named("labelSelector", [&] {
          text("matchExpressions");
          list([&] {
            requirement(flux::kJobSetNameLabel, {term.jobset_name});
            if (!term.replicated_jobs.empty()) requirement(flux::kReplicatedJobLabel, term.replicated_jobs);
          });
        });
        member("topologyKey", flux::kHostTopology);
      });
    });
  }

  void operator()(const flux::LeaderSuccess&) {
    object([&] {
      text("rules");
      list([&] { object([&] { member("succeededIndexes", "0"); }); });
    });
  }

  void operator()(const flux::FromOld& from) { copy(*old_, from.pointer); }

  void member(std::string_view key, std::string_view value) {
    text(key);
    text(value);
  }

  /// A key that is given as a JSON pointer's token.
  void key(std::string_view token) {
    if (!token.contains('~')) return text(token);
    std::string plain;
    for (std::size_t i = 0; i < token.size(); ++i)
      plain += token[i] != '~' ? token[i] : token[++i] == '1' ? '/' : '~';
    text(plain);
  }

private:
  void text(std::string_view value) {
    writer_.String(value.data(), static_cast<rapidjson::SizeType>(value.size()));
  }

  template <class Body>
  void object(Body body) {
    writer_.StartObject();
    body();
    writer_.EndObject();
  }
  template <class Body>
  void list(Body body) {
    writer_.StartArray();
    body();
    writer_.EndArray();
  }
  template <class Body>
  void named(std::string_view key, Body body) {
    text(key);
    object(body);
  }

  void requirement(std::string_view key, const flux::Words& values) {
    object([&] {
      member("key", key);
      member("operator", "In");
      text("values");
      (*this)(values);
    });
  }

  // The plan names only what the decoder has seen; null where it is not there after all.
  void copy(const Json& document, const std::string& pointer) {
    const auto* value = rapidjson::Pointer(pointer.c_str(), pointer.size()).Get(document);
    value != nullptr ? static_cast<void>(value->Accept(writer_)) : static_cast<void>(writer_.Null());
  }

  Writer& writer_;
  const Json& object_;
  const Json* old_;
};

/// Writes changes as operations. What is added below a parent that the patch itself adds is written as part
/// of it.
class PatchWriter {
public:
  PatchWriter(std::span<const flux::Change> changes, const Json& object, const Json* old)
      : changes_(changes), buffer_(nullptr, 4096), writer_(buffer_), values_(writer_, object, old) {}

  std::string run() {
    writer_.StartArray();
    while (next_ < changes_.size())
      operation();
    writer_.EndArray();
    return {buffer_.GetString(), buffer_.GetSize()};
  }

private:
  void operation() {
    writer_.StartObject();
    values_.member("op", changes_[next_].replace ? "replace" : "add");
    values_.member("path", changes_[next_].pointer);
    writer_.Key("value", 5);
    value();
    writer_.EndObject();
  }

  void value() {
    const auto& change = changes_[next_++];
    if (std::holds_alternative<flux::EmptyObject>(change.value)) {
      writer_.StartObject();
      for (auto key = child(change.pointer); !key.empty(); key = child(change.pointer)) {
        values_.key(key);
        value();
      }
      writer_.EndObject();
    } else if (std::holds_alternative<flux::EmptyList>(change.value)) {
      writer_.StartArray();
      while (!child(change.pointer).empty())
        value();
      writer_.EndArray();
    } else {
      std::visit(values_, change.value);
    }
  }

  // The last token of the next change's pointer, when that stands directly below `parent`; else "".
  [[nodiscard]] std::string_view child(std::string_view parent) const {
    if (next_ == changes_.size()) return {};
    std::string_view pointer = changes_[next_].pointer;
    if (!pointer.starts_with(parent) || pointer.size() <= parent.size() || pointer[parent.size()] != '/')
      return {};
    return pointer.substr(parent.size() + 1);
  }

  std::span<const flux::Change> changes_;
  rapidjson::StringBuffer buffer_;
  Writer writer_;
  ValueWriter values_;
  std::size_t next_ = 0;
};

} // namespace

std::string encode_patch(std::span<const flux::Change> changes, const Json& object, const Json* old) {
  return PatchWriter(changes, object, old).run();
}

} // namespace fluxhook::admission
