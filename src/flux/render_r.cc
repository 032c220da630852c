#include <nlohmann/json.hpp>
#include <utility>

#include "fluxhook/flux/hostlist.h"
#include "fluxhook/flux/render.h"

namespace fluxhook::flux {

namespace {

/// Consecutive ranks that have the same.
struct Ranks {
  std::int64_t first, count, cores, gpus;
};

std::vector<Ranks> equal_neighbours(const std::vector<NodeGroup>& groups) {
  std::vector<Ranks> all;
  std::int64_t rank = 0;
  for (const NodeGroup& group : groups) {
    if (!all.empty() && all.back().cores == group.cores && all.back().gpus == group.gpus)
      all.back().count += group.count;
    else all.push_back({.first = rank, .count = group.count, .cores = group.cores, .gpus = group.gpus});
    rank += group.count;
  }
  return all;
}

} // namespace

Result<std::string> render_r(const Resources& resources) {
  auto nodes = hostlists(resources.groups);
  if (!nodes) return std::unexpected(std::move(nodes).error());
  nlohmann::json ranks = nlohmann::json::array();
  for (const auto& [first, count, cores, gpus] : equal_neighbours(resources.groups)) {
    nlohmann::json children{{"core", index_range(0, cores)}};
    if (gpus > 0) children["gpu"] = index_range(0, gpus);
    ranks.push_back({{"rank", index_range(first, count)}, {"children", std::move(children)}});
  }
  const nlohmann::json r{{"version", 1},
                         {"execution",
                          {{"R_lite", std::move(ranks)},
                           {"nodelist", *std::move(nodes)},
                           {"starttime", 0.0},     // from the beginning
                           {"expiration", 0.0}}}}; // and for ever
  return r.dump() + "\n";
}

} // namespace fluxhook::flux
