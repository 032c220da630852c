// Image references: the grammar of github.com/distribution/reference, which container runtimes read them
// with.

#include <algorithm>
#include <array>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fluxhook/base/ascii.h"
#include "fluxhook/k8s/names.h"

namespace fluxhook::k8s {

namespace {

constexpr std::size_t kPathLength = 255;
constexpr std::size_t kTagLength = 128;
constexpr std::size_t kIdentifierLength = 64;

bool is_hex(char c) { return is_lower_hex(c) || (c >= 'A' && c <= 'F'); }

/// An image reference taken apart, nothing checked yet: name[:tag][@digest].
struct Parts {
  std::string_view name;
  std::string_view tag, digest;
  bool has_tag = false, has_digest = false;
};

Parts take_apart(std::string_view image) {
  Parts parts;
  const std::size_t at = image.find('@');
  if (at != std::string_view::npos) {
    parts.digest = image.substr(at + 1);
    parts.has_digest = true;
    image = image.substr(0, at);
  }
  const std::size_t slash = image.rfind('/');
  const std::size_t colon = image.find(':', slash == std::string_view::npos ? 0 : slash);
  if (colon != std::string_view::npos) {
    parts.tag = image.substr(colon + 1);
    parts.has_tag = true;
    image = image.substr(0, colon);
  }
  parts.name = image;
  return parts;
}

/// A host with an optional port; an IPv6 address stands in brackets.
bool is_domain(std::string_view text) {
  const std::size_t bracket = text.rfind(']');
  const std::size_t colon = text.find(':', bracket == std::string_view::npos ? 0 : bracket);
  if (colon != std::string_view::npos) {
    const std::string_view port = text.substr(colon + 1);
    if (port.empty() || !std::ranges::all_of(port, is_digit)) return false;
    text = text.substr(0, colon);
  }
  if (text.starts_with('[') && text.ends_with(']')) {
    const std::string_view address = text.substr(1, text.size() - 2);
    return !address.empty() && std::ranges::all_of(address, [](char c) { return is_hex(c) || c == ':'; });
  }
  return !text.empty() && std::ranges::all_of(std::views::split(text, '.'), [](auto part) {
    const std::string_view label(part);
    return !label.empty() && is_alphanumeric(label.front()) && is_alphanumeric(label.back()) &&
           std::ranges::all_of(label, [](char c) { return is_alphanumeric(c) || c == '-'; });
  });
}

/// Lower-case words, joined by '.', '_', '__' or any number of '-'.
bool is_path_component(std::string_view text) {
  if (text.empty() || !is_lower_or_digit(text.front()) || !is_lower_or_digit(text.back())) return false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end =
        std::min(text.find_first_of("abcdefghijklmnopqrstuvwxyz0123456789", at), text.size());
    const std::string_view separator = text.substr(at, end - at);
    const bool dashes = separator.find_first_not_of('-') == std::string_view::npos;
    if (!dashes && separator != "." && separator != "_" && separator != "__") return false;
    at = end + 1;
  }
  return true;
}

std::string check_image_name(std::string_view name) {
  if (name.size() == kIdentifierLength && std::ranges::all_of(name, is_lower_hex))
    return "must be an image reference, not an image's id";
  std::vector<std::string_view> parts;
  for (auto part : std::views::split(name, '/'))
    parts.emplace_back(part);
  const bool has_domain = parts.size() > 1 && is_domain(parts.front());
  const std::size_t path = has_domain ? parts.front().size() + 1 : 0;
  const auto components = std::views::drop(parts, has_domain ? 1 : 0);
  if (name.empty() || !std::ranges::all_of(components, is_path_component)) {
    const bool lower_case = std::ranges::none_of(name.substr(std::min(path, name.size())), is_upper);
    return lower_case
               ? "must be an image reference: [domain/]path[:tag][@digest], such as ghcr.io/org/name:1.0"
               : "an image's path must be in lower case";
  }
  if (name.size() - path > kPathLength) return "an image's path must be no more than 255 characters";
  return {};
}

bool is_tag(std::string_view tag) {
  const auto word = [](char c) { return is_alphanumeric(c) || c == '_'; };
  return !tag.empty() && tag.size() <= kTagLength && word(tag.front()) &&
         std::ranges::all_of(tag, [&](char c) { return word(c) || c == '.' || c == '-'; });
}

bool is_digest(std::string_view digest) {
  using Algorithm = std::pair<std::string_view, std::size_t>;
  static constexpr std::array<Algorithm, 3> kAlgorithms{{{"sha256:", 64}, {"sha384:", 96}, {"sha512:", 128}}};
  return std::ranges::any_of(kAlgorithms, [&](const Algorithm& algorithm) {
    const auto& [prefix, length] = algorithm;
    return digest.starts_with(prefix) && digest.size() == prefix.size() + length &&
           std::ranges::all_of(digest.substr(prefix.size()), is_lower_hex);
  });
}

} // namespace

std::string check_image(std::string_view image) {
  const Parts parts = take_apart(image);
  if (std::string fault = check_image_name(parts.name); !fault.empty()) return fault;
  if (parts.has_tag && !is_tag(parts.tag)) {
    return "an image's tag must be 1–128 letters, digits, '_', '.' and '-', and must not start with '.' or "
           "'-'";
  }
  if (parts.has_digest && !is_digest(parts.digest)) {
    return "an image's digest must be sha256: and 64, sha384: and 96, or sha512: and 128 lower case "
           "hexadecimal digits";
  }
  return {};
}

bool image_floats(std::string_view image) {
  const Parts parts = take_apart(image);
  return !parts.has_digest && (!parts.has_tag || parts.tag == "latest");
}

} // namespace fluxhook::k8s
