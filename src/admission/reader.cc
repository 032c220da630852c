#include "reader.h"

#include <format>

namespace fluxhook::admission {
namespace {

std::string_view type_name(const Json& json) {
  switch (json.GetType()) {
  case rapidjson::kNullType: return "null";
  case rapidjson::kFalseType:
  case rapidjson::kTrueType: return "boolean";
  case rapidjson::kObjectType: return "object";
  case rapidjson::kArrayType: return "array";
  case rapidjson::kStringType: return "string";
  case rapidjson::kNumberType: return "number";
  }
  return "value";
}

} // namespace

std::string Field::path() const {
  if (parent_ == nullptr) return {};
  auto path = parent_->path();
  if (key_.data() == nullptr) return path + "[" + std::to_string(index_) + "]";
  if (key_.find_first_of("./") != std::string_view::npos) return path.append("[").append(key_).append("]");
  return path.append(path.empty() ? "" : ".").append(key_);
}

void Field::note_type(std::string_view what) const {
  if (json_.IsNull() && !is_item()) return;
  errors_.push_back(k8s::type_invalid(path(), type_name(json_), std::string(what)));
}

bool Field::is_just(std::string_view key, std::string_view value) const {
  if (!json_.IsObject() || json_.MemberCount() != 1) return false;
  const auto& member = *json_.MemberBegin();
  return text_of(member.name) == key && member.value.IsString() && text_of(member.value) == value;
}

void Field::read(std::string_view& out) const {
  if (expect(json_.IsString(), "must be a string")) out = text_of(json_);
}

void Field::read(bool& out) const {
  if (expect(json_.IsBool(), "must be true or false")) out = json_.GetBool();
}

void Field::read(std::optional<bool>& out) const {
  if (expect(json_.IsBool(), "must be true or false")) out = json_.GetBool();
}

void Field::read(std::int64_t& out) const {
  if (expect(json_.IsInt(), "must be a 32-bit integer")) out = json_.GetInt64();
}

void Field::read(std::optional<std::int64_t>& out) const {
  if (expect(json_.IsInt64(), "must be an integer")) out = json_.GetInt64();
}

void Field::read(std::vector<std::string_view>& out) const {
  if (json_.IsArray()) out.reserve(json_.Size());
  items([&](const Field& item) {
    if (item.expect(item.json_.IsString(), "must be a string")) out.push_back(text_of(item.json_));
  });
}

void Field::read(std::optional<std::vector<std::string_view>>& out) const {
  if (expect(json_.IsArray(), "must be a list")) read(out.emplace());
}

void Field::read(std::optional<k8s::StringMap>& out) const {
  if (!has_object()) return;
  auto& entries = out.emplace().entries;
  entries.reserve(json_.MemberCount());
  members([&](const Field& field) {
    if (field.expect(field.json_.IsString(), "must be a string"))
      entries.emplace_back(field.key(), text_of(field.json_));
  });
}

bool Field::read_quantity(std::string& out) const {
  if (!expect(json_.IsString() || json_.IsNumber(), "must be a quantity")) return false;
  if (json_.IsString()) out = text_of(json_);
  else out = json_.IsInt64() ? std::to_string(json_.GetInt64()) : std::format("{}", json_.GetDouble());
  return true;
}

void Field::read_member(std::string_view key, std::string_view& out) const {
  members([&](const Field& field) {
    if (field.key() == key) field.read(out);
  });
}

} // namespace fluxhook::admission
