#include "fluxhook/k8s/field_error.h"

#include <catch2/catch_test_macros.hpp>

#include <array>
#include <string_view>

using namespace fluxhook::k8s;

// k8s.io/apimachinery 0.34, pkg/util/validation/field, printed the right sides.
TEST_CASE("a field error reads like the API server's", "[k8s]") {
  constexpr std::array<std::string_view, 2> kSupported{"a", "b"};
  const std::string path = "spec.replicatedJobs[0].name";
  const std::string key = "metadata.annotations[flux-framework.org/pmi]";
  struct Row {
    FieldError error;
    std::string_view text, cause;
  };
  const Row rows[] = {
      {invalid(key, "0", "must be greater than or equal to 1"),
       "metadata.annotations[flux-framework.org/pmi]: Invalid value: \"0\": must be greater than or equal to "
       "1",
       "FieldValueInvalid"},
      {invalid(path, -3, "must be greater than or equal to 1"),
       "spec.replicatedJobs[0].name: Invalid value: -3: must be greater than or equal to 1",
       "FieldValueInvalid"},
      {invalid(path, "a\"b\n\u202e", ""), R"(spec.replicatedJobs[0].name: Invalid value: "a\"b\n\u202e")",
       "FieldValueInvalid"},
      {required(path, "give one"), "spec.replicatedJobs[0].name: Required value: give one",
       "FieldValueRequired"},
      {required(path, ""), "spec.replicatedJobs[0].name: Required value", "FieldValueRequired"},
      {not_supported(key, "x", kSupported),
       R"(metadata.annotations[flux-framework.org/pmi]: Unsupported value: "x": supported values: "a", "b")",
       "FieldValueNotSupported"},
      {not_supported(key, "x", {}), R"(metadata.annotations[flux-framework.org/pmi]: Unsupported value: "x")",
       "FieldValueNotSupported"},
      {forbidden(path, "not here"), "spec.replicatedJobs[0].name: Forbidden: not here",
       "FieldValueForbidden"},
      {not_found(path, "web"), R"(spec.replicatedJobs[0].name: Not found: "web")", "FieldValueNotFound"},
      {type_invalid(path, "string", "spec.x in body must be of type integer: \"string\""),
       R"(spec.replicatedJobs[0].name: Invalid value: "string": spec.x in body must be of type integer: "string")",
       "FieldValueTypeInvalid"},
  };
  for (const auto& [error, text, cause] : rows) {
    CHECK(error.text() == text);
    CHECK(error.field + ": " + error.message() == text);
    CHECK(error.cause() == cause);
  }
}

TEST_CASE("a detail of ours follows the API server's own words", "[k8s]") {
  CHECK(required("metadata.name", "name or generateName is required").message() ==
        "Required value: name or generateName is required");
  CHECK(not_found("spec.x", "web", "there are a and b").message() ==
        R"(Not found: "web": there are a and b)");
}
