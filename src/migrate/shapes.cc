#include "migrate/shapes.h"

#include <algorithm>
#include <array>

#include "fluxhook/base/text.h"

namespace fluxhook::migrate {
namespace {

constexpr std::int64_t kMostInt64 = std::numeric_limits<std::int64_t>::max();

/// A field of the JobSet, and what the API server takes there.
struct Shape {
  std::string_view path;
  Node::Kind kind; ///< kNumber: an integer from 0
  std::int64_t most = kMostInt32;
};

// From the JobSet's CRD, and JobSpec and PodSpec of Kubernetes' API.
constexpr std::array kShapes{
    Shape{"spec.ttlSecondsAfterFinished", Node::Kind::kNumber},
    Shape{"spec.suspend", Node::Kind::kBool},
    Shape{"job.activeDeadlineSeconds", Node::Kind::kNumber, kMostInt64},
    Shape{"pod.priorityClassName", Node::Kind::kString},
    Shape{"pod.automountServiceAccountToken", Node::Kind::kBool},
    Shape{"pod.shareProcessNamespace", Node::Kind::kBool},
    Shape{"pod.hostIPC", Node::Kind::kBool},
    Shape{"pod.hostPID", Node::Kind::kBool},
    Shape{"pod.dnsPolicy", Node::Kind::kString},
    Shape{"pod.runtimeClassName", Node::Kind::kString},
    Shape{"pod.schedulerName", Node::Kind::kString},
    Shape{"pod.serviceAccountName", Node::Kind::kString},
    Shape{"pod.nodeSelector", Node::Kind::kObject},
    Shape{"pod.securityContext", Node::Kind::kObject},
    Shape{"pod.tolerations", Node::Kind::kList},
    Shape{"template.metadata.labels", Node::Kind::kObject},
    Shape{"template.metadata.annotations", Node::Kind::kObject},
};

std::string_view name_of(Node::Kind kind) {
  constexpr std::array<std::string_view, 6> kNames{"null",     "true or false", "a number",
                                                   "a string", "a list",        "an object"};
  return kNames.at(static_cast<std::size_t>(kind));
}

std::string is_text(const Node& value) {
  const bool scalar = value.kind != Node::Kind::kList && value.kind != Node::Kind::kObject;
  if (value.kind == Node::Kind::kString) return ", is " + in_quotes(value.text);
  return ", is " + (scalar && !value.text.empty() ? value.text : std::string(name_of(value.kind)));
}

} // namespace

std::optional<std::string> wrong_integer(const Node& value, std::int64_t least, std::int64_t most) {
  const auto number = value.kind == Node::Kind::kNumber ? parse_integer(value.text) : std::nullopt;
  if (number && *number >= least && *number <= most) return std::nullopt;
  return "must be an integer from " + std::to_string(least) + " to " + std::to_string(most) + is_text(value);
}

std::optional<std::string> wrong_shape(std::string_view path, const Node& value) {
  const auto* const shape = std::ranges::find(kShapes, path, &Shape::path);
  if (shape == kShapes.end()) return std::nullopt;
  if (shape->kind == Node::Kind::kNumber) return wrong_integer(value, 0, shape->most);
  if (shape->kind == value.kind) return std::nullopt;
  return "must be " + std::string(name_of(shape->kind)) + is_text(value);
}

} // namespace fluxhook::migrate
