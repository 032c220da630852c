#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fluxhook::k8s {

inline constexpr std::size_t kLabelLength = 63;      ///< DNS label, label value (RFC 1035, RFC 1123).
inline constexpr std::size_t kSubdomainLength = 253; ///< object name (RFC 1123 subdomain).
inline constexpr std::size_t kGeneratedSuffix = 5;   ///< characters that generateName adds.
inline constexpr std::size_t kGenerateBase = 58;     ///< what the base is cut to before they are added.

/// Empty when `name` is a DNS-1123 label; else what is wrong, in the API server's words
/// (k8s.io/apimachinery, pkg/util/validation/validation.go), joined by ", " when it is too long as well.
[[nodiscard]] std::string check_dns1123_label(std::string_view name);
/// The same for a DNS-1035 label (starts with a letter): Service and JobSet names.
[[nodiscard]] std::string check_dns1035_label(std::string_view name);
/// The same for a DNS-1123 subdomain: names of Secrets and ConfigMaps.
[[nodiscard]] std::string check_dns1123_subdomain(std::string_view name);
/// Empty when `name` is an environment variable's name as Kubernetes takes it: printable ASCII without '='
/// (relaxed since 1.30; older API servers refuse more by themselves).
[[nodiscard]] std::string check_env_name(std::string_view name);
/// Empty when `image` is a container image reference, [domain/]path[:tag][@digest], as container runtimes
/// read it (github.com/distribution/reference); else what is wrong, in one clause.
[[nodiscard]] std::string check_image(std::string_view image);

/// Whether an image reference has neither tag nor digest, or the tag `latest`.
[[nodiscard]] bool image_floats(std::string_view image);

/// The name that a server would derive from `generate_name` for the request `uid`: the base cut to 58
/// bytes as the API server cuts it, and five characters of its alphabet (bcdfghjklmnpqrstvwxz2456789) that
/// are a function of `uid` alone, so that a retry gives the same name.
[[nodiscard]] std::string generated_name(std::string_view generate_name, std::string_view uid);

} // namespace fluxhook::k8s
