#include "manifest/scalar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <utility>

#include "fluxhook/base/ascii.h"
#include "fluxhook/base/text.h"

namespace fluxhook::manifest {
namespace {

using namespace std::string_view_literals;
using Kind = Node::Kind;

constexpr std::array kTrue{"y"sv,    "Y"sv,    "yes"sv, "Yes"sv, "YES"sv, "true"sv,
                           "True"sv, "TRUE"sv, "on"sv,  "On"sv,  "ON"sv};
constexpr std::array kFalse{"n"sv,     "N"sv,     "no"sv,  "No"sv,  "NO"sv, "false"sv,
                            "False"sv, "FALSE"sv, "off"sv, "Off"sv, "OFF"sv};
constexpr std::array kNull{""sv, "~"sv, "null"sv, "Null"sv, "NULL"sv};
constexpr std::array kNoNumber{".nan"sv,  ".NaN"sv,  ".NAN"sv,  ".inf"sv,  ".Inf"sv,  ".INF"sv,
                               "+.inf"sv, "+.Inf"sv, "+.INF"sv, "-.inf"sv, "-.Inf"sv, "-.INF"sv};

/// Length of the digits that `text` starts with.
std::size_t digits(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::find_if_not(text, is_digit) - text.begin());
}

/// Digits of an integer without sign, and their base; "0" is octal, as in Go.
std::pair<std::string_view, int> split_base(std::string_view text) {
  if (text.size() > 1 && text[0] == '0') {
    switch (text[1]) {
    case 'x':
    case 'X': return {text.substr(2), 16};
    case 'b':
    case 'B': return {text.substr(2), 2};
    case 'o':
    case 'O': return {text.substr(2), 8};
    default: return {text.substr(1), 8};
    }
  }
  return {text, 10};
}

/// As strconv.ParseFloat has it: what is too small is 0 or next to it, what is too large is none.
std::optional<double> to_double(std::string_view text) {
  double value = 0;
  const auto fault = std::from_chars(text.data(), text.data() + text.size(), value).ec;
  if (fault == std::errc::result_out_of_range) value = std::strtod(std::string(text).c_str(), nullptr);
  if (fault == std::errc::invalid_argument || std::isinf(value)) return {};
  return value;
}

/// The JSON text of an integer as Go's strconv and math/big read it with base 0; none when it isn't one.
std::optional<Result<std::string>> integer(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  const auto [number, base] = split_base(text);
  std::uint64_t value = 0;
  const auto [end, fault] = std::from_chars(number.data(), number.data() + number.size(), value, base);
  if (number.empty() || end != number.data() + number.size() || fault == std::errc::invalid_argument)
    return {};
  const std::string sign = negative ? "-" : "";
  if (fault == std::errc()) return value == 0 ? "0" : sign + std::to_string(value);
  if (base == 10 && !to_double(number)) return {};   // a string to Go, and no JSON could hold it
  if (base == 10) return sign + std::string(number); // beyond 64 bits: its digits are kept
  return fail({}, "an integer beyond 64 bits has to be decimal");
}

/// [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?
bool looks_like_float(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const std::size_t whole = digits(text);
  text.remove_prefix(whole);
  if (text.starts_with('.')) {
    const std::size_t fraction = digits(text.substr(1));
    if (whole + fraction == 0) return false;
    text.remove_prefix(1 + fraction);
  } else if (whole == 0) {
    return false;
  }
  if (text.empty()) return true;
  if (text[0] != 'e' && text[0] != 'E') return false;
  text.remove_prefix(1);
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return !text.empty() && digits(text) == text.size();
}

std::optional<double> floating(std::string_view text) {
  if (!looks_like_float(text)) return {};
  if (text.starts_with('+')) text.remove_prefix(1);
  return to_double(text);
}

} // namespace

std::string format_number(double value) {
  std::array<char, 64> buffer{};
  const bool integral = std::trunc(value) == value && std::abs(value) < 1e21;
  const auto format = integral ? std::chars_format::fixed : std::chars_format::general;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format).ptr;
  return {buffer.data(), end};
}

std::string format_number(std::string_view digits) {
  const bool whole = digits.find_first_of(".eE") == digits.npos;
  const auto value = whole ? std::nullopt : to_double(digits);
  return value ? format_number(*value) : std::string(digits);
}

Result<Scalar> resolve(std::string_view text) {
  if (std::ranges::contains(kNull, text)) return Scalar{Kind::kNull, {}};
  if (std::ranges::contains(kTrue, text)) return Scalar{Kind::kBool, "true"};
  if (std::ranges::contains(kFalse, text)) return Scalar{Kind::kBool, "false"};
  if (std::ranges::contains(kNoNumber, text))
    return fail({}, "JSON has no " + std::string(text) + ": quote it if it is text");
  const char first = text.front();
  if (!is_digit(first) && first != '+' && first != '-' && first != '.')
    return Scalar{Kind::kString, std::string(text)};
  std::string plain(text);
  if (first != '.') std::erase(plain, '_');
  if (const auto number = integer(plain); number && first != '.') {
    if (!*number) return std::unexpected(number->error());
    return Scalar{Kind::kNumber, **number};
  }
  if (const auto number = floating(plain)) return Scalar{Kind::kNumber, format_number(*number)};
  return Scalar{Kind::kString, std::string(text)};
}

Result<Scalar> resolve_tagged(std::string_view tag, std::string_view text) {
  constexpr std::string_view kYaml = "tag:yaml.org,2002:";
  const std::string_view name = tag.starts_with(kYaml) ? tag.substr(kYaml.size()) : std::string_view();
  if (name == "binary") return fail({}, "!!binary is not supported: write the text in base64");
  Kind wanted = Kind::kString;
  if (name == "int" || name == "float") wanted = Kind::kNumber;
  if (name == "bool") wanted = Kind::kBool;
  if (name == "null") wanted = Kind::kNull;
  if (wanted == Kind::kString) return Scalar{Kind::kString, std::string(text)};
  Result<Scalar> scalar = resolve(text);
  const bool whole = scalar && scalar->text.find_first_of(".e") == std::string::npos;
  if (scalar && (scalar->kind != wanted || (name == "int" && !whole))) {
    return fail({}, in_quotes(text) + " is no !!" + std::string(name));
  }
  return scalar;
}

} // namespace fluxhook::manifest
