#include "fluxhook/k8s/field_error.h"

#include <array>
#include <utility>

#include "fluxhook/base/text.h"

namespace fluxhook::k8s {

namespace {

using Type = FieldError::Type;

struct Wording {
  std::string_view text;
  std::string_view cause;
  bool shows_value;
};

/// In the order of FieldError::Type.
constexpr std::array<Wording, 6> kWordings{{{"Invalid value", "FieldValueInvalid", true},
                                            {"Required value", "FieldValueRequired", false},
                                            {"Unsupported value", "FieldValueNotSupported", true},
                                            {"Forbidden", "FieldValueForbidden", false},
                                            {"Not found", "FieldValueNotFound", true},
                                            {"Invalid value", "FieldValueTypeInvalid", true}}};

// What an answer says of a text that somebody else has written: enough to know it by.
constexpr std::size_t kShownValue = 256;
constexpr std::size_t kShownField = 512; ///< the longest path, with a key of 317 bytes, is shorter
constexpr std::size_t kShownDetail = 2048;

std::string shown(std::string_view value) { return in_quotes(shortened(value, kShownValue)); }

const Wording& wording(Type type) { return kWordings.at(std::to_underlying(type)); }

} // namespace

std::string FieldError::message() const {
  const Wording& words = wording(type);
  std::string message(words.text);
  if (words.shows_value) message += ": " + value;
  if (!detail.empty()) message += ": " + shortened(detail, kShownDetail);
  return message;
}

std::string FieldError::place() const { return shortened(field, kShownField); }

std::string FieldError::text() const { return place() + ": " + message(); }

std::string_view FieldError::cause() const { return wording(type).cause; }

FieldError invalid(std::string field, std::string_view value, std::string detail) {
  return {Type::kInvalid, std::move(field), shown(value), std::move(detail)};
}

FieldError invalid(std::string field, std::int64_t value, std::string detail) {
  return {Type::kInvalid, std::move(field), std::to_string(value), std::move(detail)};
}

FieldError required(std::string field, std::string detail) {
  return {Type::kRequired, std::move(field), {}, std::move(detail)};
}

FieldError not_supported(std::string field, std::string_view value,
                         std::span<const std::string_view> supported) {
  std::string detail;
  for (std::string_view one : supported)
    detail += (detail.empty() ? "supported values: " : ", ") + in_quotes(one);
  return {Type::kNotSupported, std::move(field), shown(value), std::move(detail)};
}

FieldError forbidden(std::string field, std::string detail) {
  return {Type::kForbidden, std::move(field), {}, std::move(detail)};
}

FieldError not_found(std::string field, std::string_view value, std::string detail) {
  return {Type::kNotFound, std::move(field), shown(value), std::move(detail)};
}

FieldError type_invalid(std::string field, std::string_view found, std::string detail) {
  return {Type::kTypeInvalid, std::move(field), shown(found), std::move(detail)};
}

} // namespace fluxhook::k8s
