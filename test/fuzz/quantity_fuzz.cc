// Quantities, beside a reading of their grammar by whole numbers of 128 bits.
// Input: a quantity's text.
#include "fluxhook/base/quantity.h"

#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "fuzz.h"

namespace fluxhook::fuzz {
namespace {

__extension__ using Wide = __int128;

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t kFewDigits = 12; ///< more of them, times 2^60, may not fit

struct Factor {
  std::string_view suffix;
  Wide times; ///< thousandths of a unit
};

constexpr Wide kKi = 1024;
constexpr Wide kMi = kKi * kKi;

/// 1000 × 1000^n; those below a thousandth are not here.
const std::array<Factor, 14> kFactors{{{"m", 1},
                                       {"", 1000},
                                       {"k", 1'000'000},
                                       {"M", 1'000'000'000},
                                       {"G", 1'000'000'000'000},
                                       {"T", 1'000'000'000'000'000},
                                       {"P", 1'000'000'000'000'000'000},
                                       {"E", Wide(1'000'000'000'000'000'000) * 1000},
                                       {"Ki", 1000 * kKi},
                                       {"Mi", 1000 * kMi},
                                       {"Gi", 1000 * kMi* kKi},
                                       {"Ti", 1000 * kMi* kMi},
                                       {"Pi", 1000 * kMi* kMi* kKi},
                                       {"Ei", 1000 * kMi* kMi* kMi}}};

/// What a quantity without a sign stands for, where this can tell: few digits, a suffix of kFactors.
std::optional<std::int64_t> simple_milli(std::string_view text) {
  Wide digits = 0;
  Wide scale = 1;
  std::size_t count = 0;
  bool point = false;
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    if (text[at] == '.' && !point) {
      point = true;
      continue;
    }
    if (text[at] < '0' || text[at] > '9') break;
    digits = digits * 10 + (text[at] - '0');
    if (point) scale *= 10;
    if (++count > kFewDigits) return {};
  }
  if (count == 0) return {};
  for (const auto& [suffix, times] : kFactors) {
    if (text.substr(at) != suffix) continue;
    const Wide milli = (digits * times + scale - 1) / scale; // rounded up, as the API server does
    return milli > kMost ? kMost : static_cast<std::int64_t>(milli);
  }
  return {};
}

void check(std::string_view text) {
  const auto read = parse_quantity(text);
  if (!read) return require(!read.error().what.empty(), "a refusal says why");
  const auto again = parse_quantity(std::to_string(read->milli) + "m");
  require(again && again->milli == read->milli, "a quantity that is printed reads as the same");
  const bool has_sign = text.starts_with('-') || text.starts_with('+');
  if (has_sign) return;
  require(read->milli >= 0, "without a sign it is not negative");
  const std::string body(text);
  const auto negative = parse_quantity("-" + body);
  require(negative && negative->milli == -read->milli, "a minus makes it the negative");
  for (const auto* prefix : {"+", "0", "+00"}) {
    const auto same = parse_quantity(prefix + body);
    require(same && same->milli == read->milli, "a plus and leading zeros mean nothing", prefix);
  }
}

} // namespace
} // namespace fluxhook::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fluxhook;
  const std::string text = fuzz::text_of(data, size);
  fuzz::check(text);
  if (const auto simple = fuzz::simple_milli(text)) {
    const auto read = parse_quantity(text);
    fuzz::require(read.has_value(), "a plain quantity is read", text);
    fuzz::require(read->milli == *simple, "it is what whole numbers make of it", text);
  }
  return 0;
}
