#include "fluxhook/k8s/names.h"

#include <algorithm>
#include <cstdint>
#include <ranges>

#include "fluxhook/base/ascii.h"

namespace fluxhook::k8s {

namespace {

/// [a-z0-9]([-a-z0-9]*[a-z0-9])?
bool matches_label(std::string_view name) {
  return !name.empty() && is_lower_or_digit(name.front()) && is_lower_or_digit(name.back()) &&
         std::ranges::all_of(name, [](char c) { return is_lower_or_digit(c) || c == '-'; });
}

bool matches_subdomain(std::string_view name) {
  return std::ranges::all_of(std::views::split(name, '.'),
                             [](auto part) { return matches_label(std::string_view(part)); }) &&
         !name.empty();
}

/// The faults of a name, in the API server's order: too long, then malformed. It reports them one by one.
std::string faults(std::string_view name, std::size_t limit, std::string_view malformed) {
  std::string text;
  if (name.size() > limit) text = "must be no more than " + std::to_string(limit) + " characters";
  if (!malformed.empty()) {
    text += text.empty() ? "" : ", ";
    text += malformed;
  }
  return text;
}

} // namespace

std::string check_dns1123_label(std::string_view name) {
  std::string_view malformed;
  if (!matches_label(name)) {
    malformed =
        matches_subdomain(name)
            ? "must not contain dots"
            : "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
              "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex "
              "used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
  }
  return faults(name, kLabelLength, malformed);
}

std::string check_dns1035_label(std::string_view name) {
  std::string_view malformed;
  if (!matches_label(name) || !is_lower(name.front())) {
    malformed =
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
        "alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', "
        "regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
  }
  return faults(name, kLabelLength, malformed);
}

std::string check_dns1123_subdomain(std::string_view name) {
  std::string_view malformed;
  if (!matches_subdomain(name)) {
    malformed =
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', "
        "and must start and end with an alphanumeric character (e.g. 'example.com', regex used for "
        "validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
  }
  return faults(name, kSubdomainLength, malformed);
}

std::string check_env_name(std::string_view name) {
  if (name.empty()) return "environment variable name must be non-empty";
  const bool printable = std::ranges::all_of(name, [](char c) { return c >= ' ' && c <= '~' && c != '='; });
  return printable
             ? ""
             : "a valid environment variable name must consist only of printable ASCII characters other "
               "than '='";
}

std::string generated_name(std::string_view generate_name, std::string_view uid) {
  static constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789"; // utilrand.String's
  std::uint64_t hash = 0xcbf29ce484222325;                                     // FNV-1a
  for (char c : uid)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  std::string name(generate_name.substr(0, kGenerateBase));
  for (std::size_t i = 0; i < kGeneratedSuffix; ++i, hash /= kAlphabet.size())
    name += kAlphabet[hash % kAlphabet.size()];
  return name;
}

} // namespace fluxhook::k8s
