#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fluxhook/k8s/jobset.h"
#include "json.h"

namespace fluxhook::admission {

/// A value in a JSON document and its place, as the API server writes it, which costs something only when
/// there is a fault. Reading a value of the wrong type notes an error; null reads as absent, but for a list's
/// item, which can't be absent.
class Field {
public:
  using Errors = std::vector<k8s::FieldError>;

  Field(const Json& root, Errors& errors) : json_(root), errors_(errors) {}
  Field(const Field&) = delete;
  Field& operator=(const Field&) = delete;

  [[nodiscard]] std::string_view key() const { return key_; }
  [[nodiscard]] bool is_object() const { return json_.IsObject(); }
  /// The same of what isn't read any further: another type is noted here.
  [[nodiscard]] bool has_object() const { return expect(json_.IsObject(), "must be an object"); }
  [[nodiscard]] bool is_empty_object() const { return json_.IsObject() && json_.ObjectEmpty(); }
  [[nodiscard]] bool is_null() const { return json_.IsNull(); }

  /// Whether this is an object with this one member and no other.
  [[nodiscard]] bool is_just(std::string_view key, std::string_view value) const;

  /// Calls `visit` with each member of an object, or each item of a list.
  template <class Visit>
  void members(Visit visit) const {
    if (!has_object()) return;
    for (const auto& member : json_.GetObject())
      visit(Field(member.value, *this, text_of(member.name)));
  }
  template <class Visit>
  void items(Visit visit) const {
    if (!expect(json_.IsArray(), "must be a list")) return;
    std::size_t index = 0;
    for (const auto& item : json_.GetArray())
      visit(Field(item, *this, index++));
  }

  void read(std::string_view& out) const;
  void read(bool& out) const;
  void read(std::optional<bool>& out) const;
  void read(std::int64_t& out) const;
  void read(std::optional<std::int64_t>& out) const;
  void read(std::vector<std::string_view>& out) const;
  void read(std::optional<std::vector<std::string_view>>& out) const;
  void read(std::optional<k8s::StringMap>& out) const;
  /// A quantity's text: of a string, or the digits of a number. False when there is none.
  bool read_quantity(std::string& out) const;
  void read_member(std::string_view key, std::string_view& out) const;

  /// A list, each item through `convert`.
  template <class Item, class Convert>
  void read(std::vector<Item>& out, Convert convert) const {
    if (json_.IsArray()) out.reserve(json_.Size());
    items([&](const Field& item) { out.push_back(convert(item)); });
  }
  template <class Item, class Convert>
  void read(std::optional<std::vector<Item>>& out, Convert convert) const {
    if (json_.IsArray()) read(out.emplace(), convert);
    else expect(false, "must be a list");
  }

  /// `spec.replicatedJobs[0].template`; in a map of strings `metadata.labels[key]`.
  [[nodiscard]] std::string path() const;

private:
  Field(const Json& json, const Field& parent, std::string_view key)
      : json_(json), errors_(parent.errors_), parent_(&parent), key_(key) {}
  Field(const Json& json, const Field& parent, std::size_t index)
      : json_(json), errors_(parent.errors_), parent_(&parent), index_(index) {}

  /// Whether this is an item of a list.
  [[nodiscard]] bool is_item() const { return parent_ != nullptr && key_.data() == nullptr; }
  /// True when the type is right; else notes the error, unless the value is a field's null.
  bool expect(bool right, std::string_view what) const {
    if (!right) note_type(what);
    return right;
  }
  void note_type(std::string_view what) const;

  const Json& json_;
  Errors& errors_;
  const Field* parent_ = nullptr;
  std::string_view key_;
  std::size_t index_ = 0;
};

} // namespace fluxhook::admission
