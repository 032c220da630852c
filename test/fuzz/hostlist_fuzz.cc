// Hostlists of the brokers, expanded again by a reader of RFC 29 of flux-framework's notation.
// Input: lines "COUNT PREFIX", a group of pods each.
#include "fluxhook/flux/hostlist.h"

#include <algorithm>
#include <charconv>

#include "fuzz.h"

namespace fluxhook::fuzz {
namespace {

// Pods of a group: beyond three lists there is nothing new, and so many are slow.
constexpr std::int64_t kMostHosts = 3000;
constexpr std::int64_t kFewHosts = 50;
constexpr std::size_t kLabel = 63;

/// RFC 1123, section 2.1.
bool is_label(std::string_view name) {
  return !name.empty() && name.size() <= kLabel && name.front() != '-' && name.back() != '-' &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == name.npos;
}

std::int64_t number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  require(fault == std::errc{} && end == text.data() + text.size(), "a range is of numbers", text);
  require(text == std::to_string(value), "a number has no leading zeros, which would pad", text);
  return value;
}

/// An item "stem[first-last]tail", or one host.
void expand(std::string_view item, std::vector<std::string>& hosts) {
  const std::size_t open = item.find('[');
  if (open == item.npos) {
    hosts.emplace_back(item);
    return;
  }
  const std::size_t close = item.find(']');
  require(close != item.npos && item.find('[', open + 1) == item.npos, "an item has one bracket", item);
  const std::string_view range = item.substr(open + 1, close - open - 1);
  const std::size_t dash = range.find('-');
  const std::int64_t first = number(range.substr(0, dash));
  const std::int64_t last = dash == range.npos ? first : number(range.substr(dash + 1));
  require(first <= last, "a range ascends", item);
  for (std::int64_t i = first; i <= last; ++i)
    hosts.push_back(std::string(item.substr(0, open)) + std::to_string(i) +
                    std::string(item.substr(close + 1)));
}

std::vector<std::string> expand_list(std::string_view list) {
  std::vector<std::string> hosts;
  for (;;) {
    const std::size_t end = list.find(',');
    expand(list.substr(0, end), hosts);
    if (end == list.npos) return hosts;
    list.remove_prefix(end + 1);
  }
}

std::vector<flux::NodeGroup> groups_of(const std::string& input) {
  const std::int64_t most = is_chosen(input, 100) ? kMostHosts : kFewHosts;
  std::vector<flux::NodeGroup> groups;
  for (std::string line : lines_of(input)) {
    std::int64_t count = 1;
    const std::string word = take_word(line);
    std::from_chars(word.data(), word.data() + word.size(), count);
    groups.push_back({.prefix = line, .count = std::clamp<std::int64_t>(count, 1, most)});
  }
  return groups;
}

void check(const std::vector<flux::NodeGroup>& groups) {
  std::vector<std::string> hosts;
  bool good = true;
  for (const flux::NodeGroup& group : groups)
    for (std::int64_t i = 0; i < group.count; ++i) {
      hosts.push_back(group.prefix + std::to_string(i));
      good = good && is_label(hosts.back());
    }
  const auto lists = flux::hostlists(groups);
  require(lists.has_value() == good, "hosts that are DNS labels make a list, and no others",
          lists ? "" : lists.error().text());
  if (!lists) return;
  std::vector<std::string> expanded;
  for (const std::string& list : *lists) {
    const auto some = expand_list(list);
    require(static_cast<std::int64_t>(some.size()) <= flux::kHostsPerList,
            "a list has no more than 1000 hosts");
    expanded.insert(expanded.end(), some.begin(), some.end());
  }
  require(expanded == hosts, "the lists are the hosts in the order of ranks");
}

} // namespace
} // namespace fluxhook::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fluxhook::fuzz;
  check(groups_of(text_of(data, size)));
  return 0;
}
