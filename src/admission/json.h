#pragma once

#include <rapidjson/document.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fluxhook/base/result.h"

namespace fluxhook::admission {

using Json = rapidjson::Value;

[[nodiscard]] inline std::string_view text_of(const Json& string) {
  return {string.GetString(), string.GetStringLength()};
}

/// Nesting that is accepted: a JobSet's schema is some 30 levels deep, its managedFields as many.
inline constexpr std::size_t kMaxDepth = 100;

/// What stands at the document's root: it says where the subtrees are that nobody reads.
enum class Root : std::uint8_t { kReview, kJobSet };

/// Parses `text` in place: strings of `out` point into it. An iterative parser, so depth costs no stack.
/// Subtrees that nobody reads (managedFields, a review's status, userInfo …) are checked as JSON but not
/// built. Error, with the byte: not JSON, not UTF-8, deeper than kMaxDepth, a key twice in an object, a
/// number beyond double.
[[nodiscard]] Result<void> parse_in_place(std::string& text, Root root, rapidjson::Document& out);

} // namespace fluxhook::admission
