#pragma once

#include <string>
#include <string_view>

#include "fluxhook/base/result.h"
#include "fluxhook/manifest/node.h"

namespace fluxhook::manifest {

/// What a YAML scalar without quotes stands for: a kind, and its text as Node has it.
struct Scalar {
  Node::Kind kind = Node::Kind::kString;
  std::string text;
};

/// Reads a scalar by kubectl's rules (sigs.k8s.io/yaml, goyaml.v2/resolve.go): those of YAML 1.1 without base
/// 60 and dates. Error: infinity, not a number, or an integer that JSON can't carry.
[[nodiscard]] Result<Scalar> resolve(std::string_view text);

/// Reads a scalar that has a tag: !!str, !!int, !!float, !!bool and !!null are held to; any other tag makes
/// it a string.
[[nodiscard]] Result<Scalar> resolve_tagged(std::string_view tag, std::string_view text);

/// A floating-point number as JSON, in Go's form: an integral value below 1e21 has no exponent and no
/// fraction.
[[nodiscard]] std::string format_number(double value);

/// The same of a number's JSON text; an integer keeps its digits.
[[nodiscard]] std::string format_number(std::string_view digits);

} // namespace fluxhook::manifest
