#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace fluxhook::k8s {

/// A fault in one field, as the API server words it (k8s.io/apimachinery,
/// pkg/util/validation/field/errors.go).
struct FieldError {
  enum class Type : std::uint8_t { kInvalid, kRequired, kNotSupported, kForbidden, kNotFound, kTypeInvalid };

  Type type = Type::kInvalid;
  std::string field;  ///< path: spec.replicatedJobs[0].name, metadata.annotations[flux-framework.org/pmi]
  std::string value;  ///< the bad value as JSON text (strings quoted, and shortened to 256 bytes); unused by
                      ///< Required and Forbidden
  std::string detail; ///< what would be right

  /// The field, shortened where it is longer than any path of a JobSet that an API server takes.
  [[nodiscard]] std::string place() const;
  /// Without the field, a value or detail that is very long shortened: `Invalid value: "0": must be greater
  /// than or equal to 1`.
  [[nodiscard]] std::string message() const;
  /// `field: message`, the API server's form.
  [[nodiscard]] std::string text() const;
  /// The reason in Status.details.causes: FieldValueInvalid, FieldValueRequired …
  [[nodiscard]] std::string_view cause() const;
};

// Faults by their type, as package field of k8s.io/apimachinery makes them; `detail` says what would be
// right.

[[nodiscard]] FieldError invalid(std::string field, std::string_view value, std::string detail);
[[nodiscard]] FieldError invalid(std::string field, std::int64_t value, std::string detail);
[[nodiscard]] FieldError required(std::string field, std::string detail);
/// `Unsupported value: "x": supported values: "a", "b"`
[[nodiscard]] FieldError not_supported(std::string field, std::string_view value,
                                       std::span<const std::string_view> supported);
[[nodiscard]] FieldError forbidden(std::string field, std::string detail);
[[nodiscard]] FieldError not_found(std::string field, std::string_view value, std::string detail = {});
/// A JSON value of the wrong type: `found` is its type ("string", "number", "object", "array", "boolean",
/// "null"). The API server's detail is `<field> in body must be of type integer: "string"`.
[[nodiscard]] FieldError type_invalid(std::string field, std::string_view found, std::string detail);

} // namespace fluxhook::k8s
