#include "fluxhook/base/quantity.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <memory>
#include <string>
#include <system_error>

#include "fluxhook/base/ascii.h"
#include "fluxhook/base/text.h"

namespace fluxhook {

namespace {

/// digits × 10^exponent, the digits with neither sign nor point.
struct Decimal {
  std::string digits;
  std::int64_t exponent = 0;
};

struct Suffix {
  std::string_view name;
  int exponent; // of ten
  int kibi;     // and of 1024
};

constexpr std::array<Suffix, 16> kSuffixes{{{"n", -9, 0},
                                            {"u", -6, 0},
                                            {"m", -3, 0},
                                            {"", 0, 0},
                                            {"k", 3, 0},
                                            {"M", 6, 0},
                                            {"G", 9, 0},
                                            {"T", 12, 0},
                                            {"P", 15, 0},
                                            {"E", 18, 0},
                                            {"Ki", 0, 1},
                                            {"Mi", 0, 2},
                                            {"Gi", 0, 3},
                                            {"Ti", 0, 4},
                                            {"Pi", 0, 5},
                                            {"Ei", 0, 6}}};

std::string_view take_digits(std::string_view& text) {
  const auto end = std::ranges::find_if_not(text, is_digit);
  const std::string_view digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(digits.size());
  return digits;
}

void multiply(std::string& digits, unsigned factor) {
  unsigned carry = 0;
  for (std::size_t i = digits.size(); i-- > 0; carry /= 10) {
    carry += static_cast<unsigned>(digits[i] - '0') * factor;
    digits[i] = static_cast<char>('0' + carry % 10);
  }
  for (; carry > 0; carry /= 10)
    digits.insert(digits.begin(), static_cast<char>('0' + carry % 10));
}

/// Multiplies by what the suffix stands for; false when there is no such suffix.
bool apply_suffix(Decimal& value, std::string_view suffix) {
  if (suffix.size() > 1 && (suffix.front() == 'e' || suffix.front() == 'E') && suffix != "Ei") {
    suffix.remove_prefix(suffix[1] == '+' && suffix.size() > 2 && is_digit(suffix[2]) ? 2 : 1);
    std::int32_t exponent = 0;
    const char* const end = std::to_address(suffix.end());
    const auto [rest, fault] = std::from_chars(std::to_address(suffix.begin()), end, exponent);
    value.exponent += exponent;
    return fault == std::errc{} && rest == end;
  }
  const auto* const found = std::ranges::find(kSuffixes, suffix, &Suffix::name);
  if (found == kSuffixes.end()) return false;
  value.exponent += found->exponent;
  for (int i = 0; i < found->kibi; ++i)
    multiply(value.digits, 1024);
  return true;
}

/// The value's thousandths, rounded up: the digits before the point once it has moved three places.
std::int64_t to_milli(const Decimal& value) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  const std::size_t zeros = std::min(value.digits.find_first_not_of('0'), value.digits.size());
  const std::string_view digits = std::string_view(value.digits).substr(zeros);
  if (digits.empty()) return 0;
  const std::int64_t before = static_cast<std::int64_t>(digits.size()) + value.exponent + 3;
  if (before > std::numeric_limits<std::int64_t>::digits10 + 1) return kMax;
  const auto whole = static_cast<std::size_t>(std::max<std::int64_t>(before, 0));
  std::string text = "0"; // so that there is a digit where nothing stands before the point
  text.append(digits.substr(0, whole)).resize(whole + 1, '0');
  const std::int64_t milli = parse_integer(text).value_or(kMax);
  const bool exact = digits.find_first_not_of('0', whole) == std::string_view::npos;
  return exact || milli == kMax ? milli : milli + 1;
}

} // namespace

Result<Quantity> parse_quantity(std::string_view text) {
  std::string_view rest = text;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  Decimal value{.digits = std::string(take_digits(rest))};
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    const std::string_view fraction = take_digits(rest);
    value.digits += fraction;
    value.exponent = -static_cast<std::int64_t>(fraction.size());
  }
  if (value.digits.empty() || !apply_suffix(value, rest)) {
    return fail("", in_quotes(text) +
                        " is not a quantity: a number such as 2, 0.5, 500m, 4Gi or 1e3 is expected");
  }
  const std::int64_t milli = to_milli(value);
  return Quantity{negative ? -milli : milli};
}

} // namespace fluxhook
