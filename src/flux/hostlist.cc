#include "fluxhook/flux/hostlist.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "fluxhook/base/text.h"
#include "fluxhook/flux/quote.h"

namespace fluxhook::flux {

namespace {

/// Consecutive hosts whose names differ in one number: stem, number, tail.
struct Run {
  std::string stem;
  std::int64_t first;
  std::int64_t count;
  std::string tail; ///< empty, or "-0": pods of Jobs that have one each

  [[nodiscard]] std::string text(std::int64_t from, std::int64_t hosts) const {
    const std::string range = index_range(from, hosts);
    return stem + (hosts == 1 ? range : "[" + range + "]") + tail;
  }
};

/// The Job of one pod as a run over Jobs: "js-node-7-" is host 7 of js-node-[…]-0.
std::optional<Run> as_run_of_jobs(const NodeGroup& group) {
  if (group.count != 1 || !group.prefix.ends_with('-')) return std::nullopt;
  const std::string_view job = std::string_view(group.prefix).substr(0, group.prefix.size() - 1);
  const std::size_t stem = job.rfind('-') + 1;
  const std::string_view digits = job.substr(stem);
  const auto index = parse_integer(digits);
  if (!index || std::to_string(*index) != digits) return std::nullopt;
  return Run{.stem = std::string(job.substr(0, stem)), .first = *index, .count = 1, .tail = "-0"};
}

Run as_run(const NodeGroup& group) {
  if (auto jobs = as_run_of_jobs(group)) return *std::move(jobs);
  return {.stem = group.prefix, .first = 0, .count = group.count, .tail = {}};
}

/// Whether `next` goes on where `run` ends.
bool continues(const Run& run, const Run& next) {
  return run.stem == next.stem && run.tail == next.tail && next.first == run.first + run.count;
}

std::vector<Run> runs_of(std::span<const NodeGroup> groups) {
  std::vector<Run> runs;
  for (const NodeGroup& group : groups) {
    Run run = as_run(group);
    if (!runs.empty() && continues(runs.back(), run)) runs.back().count += run.count;
    else runs.push_back(std::move(run));
  }
  return runs;
}

} // namespace

std::string index_range(std::int64_t first, std::int64_t count) {
  std::string range = std::to_string(first);
  if (count > 1) range += '-' + std::to_string(first + count - 1);
  return range;
}

Result<std::vector<std::string>> hostlists(std::span<const NodeGroup> groups) {
  for (const NodeGroup& group : groups) {
    if (auto host = quote_hostlist(group.prefix + std::to_string(group.count - 1)); !host)
      return std::unexpected(std::move(host).error());
  }
  std::vector<std::string> lists;
  std::int64_t room = 0; // in the last list
  for (const Run& run : runs_of(groups)) {
    for (std::int64_t done = 0; done < run.count;) {
      if (room == 0) {
        lists.emplace_back();
        room = kHostsPerList;
      }
      const std::int64_t hosts = std::min(room, run.count - done);
      std::string& list = lists.back();
      list += (list.empty() ? "" : ",") + run.text(run.first + done, hosts);
      room -= hosts;
      done += hosts;
    }
  }
  return lists;
}

} // namespace fluxhook::flux
