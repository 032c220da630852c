#include "fluxhook/kube/time.h"

#include <algorithm>
#include <condition_variable>
#include <format>
#include <mutex>

#include "fluxhook/base/ascii.h"
#include "fluxhook/base/text.h"

namespace fluxhook::kube {

namespace {

/// Between them, and from now to them, are less than the 292 years that a difference in nanoseconds can have.
constexpr auto kFirstTime = std::chrono::sys_days(std::chrono::year(1900) / 1 / 1),
               kLastTime = std::chrono::sys_days(std::chrono::year(2190) / 1 / 1);

/// The number in `digits` characters from `at` on.
std::optional<int> number(std::string_view text, std::size_t at, std::size_t digits) {
  const std::string_view part = at <= text.size() ? text.substr(at, digits) : "";
  if (part.size() != digits || part.find_first_not_of("0123456789") != part.npos) return {};
  const auto value = parse_integer(part);
  return value ? std::optional<int>(static_cast<int>(*value)) : std::nullopt;
}

/// "Z", "+hh:mm" or "-hh:mm".
std::optional<std::chrono::minutes> offset(std::string_view text) {
  if (text == "Z" || text == "z") return std::chrono::minutes(0);
  if (text.size() != 6 || (text[0] != '+' && text[0] != '-') || text[3] != ':') return {};
  const auto hours = number(text, 1, 2), minutes = number(text, 4, 2);
  if (!hours || !minutes) return {};
  const std::chrono::minutes total(*hours * 60 + *minutes);
  return text[0] == '-' ? -total : total;
}

} // namespace

std::string format_micro_time(std::chrono::system_clock::time_point time) {
  return std::format("{:%Y-%m-%dT%H:%M:%SZ}", std::chrono::floor<std::chrono::microseconds>(time));
}

std::optional<std::chrono::system_clock::time_point> parse_time(std::string_view text) {
  using namespace std::chrono;
  const auto y = number(text, 0, 4), mo = number(text, 5, 2), d = number(text, 8, 2), h = number(text, 11, 2),
             mi = number(text, 14, 2), s = number(text, 17, 2);
  if (!y || !mo || !d || !h || !mi || !s) return {};
  if (text[4] != '-' || text[7] != '-' || (text[10] != 'T' && text[10] != 't') || text[13] != ':' ||
      text[16] != ':')
    return {};
  const year_month_day date{year(*y), month(static_cast<unsigned>(*mo)), day(static_cast<unsigned>(*d))};
  if (!date.ok() || *h > 23 || *mi > 59 || *s > 60) return {};
  std::string_view rest = text.substr(19);
  microseconds fraction{0};
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    std::int64_t unit = 100'000;
    for (; !rest.empty() && is_digit(rest[0]); rest.remove_prefix(1), unit /= 10)
      fraction += microseconds((rest[0] - '0') * unit);
  }
  const auto shift = offset(rest);
  if (!shift) return {};
  const sys_time<microseconds> time =
      sys_days(date) + hours(*h) + minutes(*mi) + seconds(*s) + fraction - *shift;
  return std::clamp<sys_time<microseconds>>(time, kFirstTime, kLastTime);
}

bool sleep_for(std::chrono::milliseconds time, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, stop, time, [] { return false; });
  return !stop.stop_requested();
}

} // namespace fluxhook::kube
