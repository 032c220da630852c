#include "fluxhook/flux/hostlist.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <vector>

using namespace fluxhook::flux;
using Names = std::vector<std::string>;

namespace {

// --- A reader of hostlists as RFC 29 of flux-framework describes them, for one bracket an item.

/// Appends prefix + id + suffix for the ids of "3", "0-3" or "00-2": leading zeros give the width.
void expand_range(std::string_view prefix, std::string_view range, std::string_view suffix, Names& out) {
  const std::size_t dash = range.find('-');
  const std::string first(range.substr(0, dash));
  const std::string last(dash == std::string_view::npos ? range : range.substr(dash + 1));
  for (unsigned long id = std::stoul(first); id <= std::stoul(last); ++id) {
    std::string digits = std::to_string(id);
    if (digits.size() < first.size()) digits.insert(0, first.size() - digits.size(), '0');
    out.push_back(std::string(prefix) + digits + std::string(suffix));
  }
}

void expand_item(std::string_view item, Names& out) {
  const std::size_t open = item.find('[');
  if (open == std::string_view::npos) {
    out.emplace_back(item);
    return;
  }
  const std::size_t close = item.find(']', open);
  REQUIRE(close != std::string_view::npos);
  REQUIRE(item.find('[', close) == std::string_view::npos);
  std::string_view ranges = item.substr(open + 1, close - open - 1);
  while (!ranges.empty()) {
    const std::size_t comma = std::min(ranges.find(','), ranges.size());
    expand_range(item.substr(0, open), ranges.substr(0, comma), item.substr(close + 1), out);
    ranges.remove_prefix(std::min(comma + 1, ranges.size()));
  }
}

Names expand(std::string_view list) {
  Names out;
  std::size_t start = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= list.size(); ++i) {
    if (i < list.size() && list[i] == '[') ++depth;
    if (i < list.size() && list[i] == ']') --depth;
    const bool ends = i == list.size() || (depth == 0 && list[i] == ',');
    if (ends && i > start) expand_item(list.substr(start, i - start), out);
    if (ends) start = i + 1;
  }
  return out;
}

/// The hosts one by one.
Names names(const std::vector<NodeGroup>& groups) {
  Names out;
  for (const NodeGroup& group : groups) {
    for (std::int64_t i = 0; i < group.count; ++i)
      out.push_back(group.prefix + std::to_string(i));
  }
  return out;
}

/// The Jobs of a replicatedJob.
void append(std::vector<NodeGroup>& groups, std::string_view prefix, int replicas, std::int64_t pods) {
  for (int i = 0; i < replicas; ++i)
    groups.push_back({.prefix = std::string(prefix) + std::to_string(i) + "-", .count = pods});
}

std::vector<NodeGroup> jobs(std::string_view prefix, int replicas, std::int64_t pods) {
  std::vector<NodeGroup> groups;
  append(groups, prefix, replicas, pods);
  return groups;
}

} // namespace

// What flux-core's own decoder (src/common/libhostlist, v0.88.0) makes of them; the first nine are RFC 29's.
TEST_CASE("the test's reader of hostlists reads what Flux reads", "[flux]") {
  CHECK(expand("").empty());
  CHECK(expand("foox,fooy,fooz") == Names{"foox", "fooy", "fooz"});
  CHECK(expand("[1-3,5-6]") == Names{"1", "2", "3", "5", "6"});
  CHECK(expand("foo[1-5]") == Names{"foo1", "foo2", "foo3", "foo4", "foo5"});
  CHECK(expand("foo[0-4]-eth2") == Names{"foo0-eth2", "foo1-eth2", "foo2-eth2", "foo3-eth2", "foo4-eth2"});
  CHECK(expand("foo1,foo1,foo1") == Names{"foo1", "foo1", "foo1"});
  CHECK(expand("[00-02]") == Names{"00", "01", "02"});
  CHECK(expand("[00-2]") == Names{"00", "01", "02"});
  CHECK(expand("foo[1,1,2,1]") == Names{"foo1", "foo1", "foo2", "foo1"});
  CHECK(expand("js-node-[9-11]-0") == Names{"js-node-9-0", "js-node-10-0", "js-node-11-0"});
  CHECK(expand("js-node-0-[0-1],js-node-1-[0-1]") ==
        Names{"js-node-0-0", "js-node-0-1", "js-node-1-0", "js-node-1-1"});
}

TEST_CASE("pods are compressed within a Job, and Jobs of one pod each across them", "[flux]") {
  struct Row {
    std::vector<NodeGroup> groups;
    Names lists;
  };
  auto two = jobs("js-a-", 1, 4);
  append(two, "js-b-", 1, 1);
  auto mixed = jobs("js-a-", 3, 1);
  append(mixed, "js-b-", 2, 1);
  append(mixed, "js-c-", 1, 2);
  const Row rows[] = {
      {{}, {}},
      {jobs("js-node-", 1, 1), {"js-node-0-0"}},
      {jobs("js-node-", 1, 2), {"js-node-0-[0-1]"}},
      {jobs("js-node-", 1, 4), {"js-node-0-[0-3]"}},
      {jobs("js-node-", 2, 2), {"js-node-0-[0-1],js-node-1-[0-1]"}},
      {jobs("js-node-", 2, 1), {"js-node-[0-1]-0"}},
      {jobs("js-node-", 11, 1), {"js-node-[0-10]-0"}},
      {two, {"js-a-0-[0-3],js-b-0-0"}},
      {mixed, {"js-a-[0-2]-0,js-b-[0-1]-0,js-c-0-[0-1]"}},
      {{{.prefix = "js-a-1-"}, {.prefix = "js-a-3-"}}, {"js-a-1-0,js-a-3-0"}},
      {{{.prefix = "js-a-1-"}, {.prefix = "js-a-0-"}}, {"js-a-1-0,js-a-0-0"}},
      {{{.prefix = "js-a-007-"}, {.prefix = "js-a-8-"}}, {"js-a-007-0,js-a-8-0"}},
      {{{.prefix = "odd"}, {.prefix = "odder-"}}, {"odd0,odder-0"}},
      {jobs("js-9-", 3, 1), {"js-9-[0-2]-0"}},
  };
  for (const auto& [groups, lists] : rows) {
    const auto found = hostlists(groups);
    REQUIRE(found);
    CHECK(*found == lists);
    Names all;
    for (const std::string& list : *found) {
      const Names part = expand(list);
      all.insert(all.end(), part.begin(), part.end());
    }
    CHECK(all == names(groups));
  }
}

TEST_CASE("a hostlist has a thousand hosts at most, whatever they come from", "[flux]") {
  CHECK(hostlists(jobs("js-a-", 1, 1000)) == Names{"js-a-0-[0-999]"});
  CHECK(hostlists(jobs("js-a-", 1, 1001)) == Names{"js-a-0-[0-999]", "js-a-0-1000"});
  CHECK(hostlists(jobs("js-a-", 1, 2500)) ==
        Names{"js-a-0-[0-999]", "js-a-0-[1000-1999]", "js-a-0-[2000-2499]"});
  CHECK(hostlists(jobs("js-a-", 1002, 1)) == Names{"js-a-[0-999]-0", "js-a-[1000-1001]-0"});
  CHECK(hostlists(jobs("js-a-", 3, 600)) ==
        Names{"js-a-0-[0-599],js-a-1-[0-399]", "js-a-1-[400-599],js-a-2-[0-599]"});
}

TEST_CASE("hostlists hold all hosts in rank order, for any Jobs", "[flux]") {
  std::mt19937 random(20240229);
  const auto below = [&](unsigned limit) { return static_cast<int>(random() % limit); };
  for (int round = 0; round < 200; ++round) {
    std::vector<NodeGroup> groups;
    const int replicated_jobs = 1 + below(4);
    for (int i = 0; i < replicated_jobs; ++i)
      append(groups, "js-rj" + std::to_string(i) + "-", 1 + below(30), below(2) == 0 ? 1 : 1 + below(400));
    const auto lists = hostlists(groups);
    REQUIRE(lists);
    Names all;
    for (const std::string& list : *lists) {
      const Names part = expand(list);
      CHECK((part.size() == 1000 || (part.size() < 1000 && &list == &lists->back())));
      all.insert(all.end(), part.begin(), part.end());
    }
    CHECK(all == names(groups));
  }
}

TEST_CASE("a name that would mean something in a hostlist is an error", "[flux]") {
  for (std::string_view prefix :
       {"js[0-9]-", "js,other-", "js node-", "js]-", "JS-", "js.ns-", "js\n-", "-js-"}) {
    CAPTURE(prefix);
    const auto lists =
        hostlists(std::vector<NodeGroup>{{.prefix = "js-a-0-"}, {.prefix = std::string(prefix)}});
    REQUIRE_FALSE(lists);
    CHECK(lists.error().what.find("can't be a broker's host name: ") != std::string::npos);
  }
  const NodeGroup longest{.prefix = std::string(61, 'a') + "-", .count = 10};
  const NodeGroup longer{.prefix = std::string(61, 'a') + "-", .count = 11};
  CHECK(hostlists(std::vector{longest}));
  CHECK_FALSE(hostlists(std::vector{longer}));
}

TEST_CASE("a range of one is a number", "[flux]") {
  CHECK(index_range(0, 1) == "0");
  CHECK(index_range(7, 1) == "7");
  CHECK(index_range(0, 2) == "0-1");
  CHECK(index_range(8, 4) == "8-11");
}
