#include "cli/replay_report.h"

#include <cmath>
#include <format>
#include <utility>

#include <nlohmann/json.hpp>

#include "cli/counted.h"
#include "fluxhook/base/text.h"
#include "fluxhook/manifest/reader.h"

namespace fluxhook::cli {

namespace {

constexpr std::size_t kMostTold = 20;   ///< places of one answer, in text
constexpr std::size_t kMostValue = 200; ///< bytes of a value, in text
constexpr std::array kShareNames{"p50", "p90", "p99", "p99.9"};
static_assert(kShareNames.size() == kShares.size());

/// To one of `steps` between two integers: what a clock gives beyond a microsecond is noise.
double rounded(double value, double steps = 1000) { return std::round(value * steps) / steps; }

double milliseconds(std::chrono::duration<double> time) { return rounded(time.count() * 1000); }

std::size_t count(const Load& load, Admitted admitted) {
  return load.admitted.at(std::to_underlying(admitted));
}

/// In whole microseconds, as it is told: what is computed from it fits it.
double seconds(const Load& load) { return rounded(load.took.count(), 1e6); }

double a_second(const Load& load) {
  return seconds(load) > 0 ? static_cast<double>(load.requests()) / seconds(load) : 0;
}

std::string differences_text(const Recorded& review, const std::vector<Difference>& differences) {
  std::string text;
  const std::string place = manifest::place(review.file, review.at);
  for (std::size_t i = 0; i < differences.size() && i < kMostTold; ++i) {
    const auto& [path, expected, got] = differences[i];
    text += printable(std::format("{}: answer{}{}: expected {}, got {}", place, path.empty() ? "" : " ", path,
                                  shortened(expected, kMostValue), shortened(got, kMostValue))) +
            "\n";
  }
  if (differences.size() > kMostTold)
    text += printable(std::format("{}: and {} more", place, differences.size() - kMostTold)) + "\n";
  return text;
}

} // namespace

std::string load_text(std::span<const Recorded> reviews, const Load& load, const LoadOptions& options,
                      bool compared) {
  std::string text;
  for (std::size_t i = 0; i < reviews.size(); ++i)
    text += differences_text(reviews[i], load.differences[i]);
  text += std::format("{}, {} over {} in {:.2f} s: {:.0f} a second\n", counted(reviews.size(), "review"),
                      counted(load.requests(), "request"), counted(options.connections, "connection"),
                      load.took.count(), a_second(load));
  text += std::format(
      "allowed {}, patched {}, denied {}, no good answer {}{}\n", count(load, Admitted::kAllowed),
      count(load, Admitted::kPatched), count(load, Admitted::kDenied), count(load, Admitted::kNoAnswer),
      load.again == 0 ? "" : std::format("; {} sent again over a new connection", load.again));
  if (compared)
    text += std::format("{} as expected, {} not\n", load.requests() - load.different, load.different);
  text += "latency in ms:";
  for (std::size_t i = 0; i < kShares.size(); ++i)
    text += std::format(" {} {:.2f},", kShareNames.at(i), milliseconds(load.latency.at(i)));
  return text + std::format(" max {:.2f}\n", milliseconds(load.slowest));
}

std::string load_json(std::span<const Recorded> reviews, const Load& load, const LoadOptions& options) {
  using Json = nlohmann::ordered_json;
  Json latency;
  for (std::size_t i = 0; i < kShares.size(); ++i)
    latency[kShareNames.at(i)] = milliseconds(load.latency.at(i));
  latency["max"] = milliseconds(load.slowest);
  Json differences = Json::array();
  for (std::size_t i = 0; i < reviews.size(); ++i)
    for (const auto& [path, expected, got] : load.differences[i])
      differences.push_back({{"file", reviews[i].file},
                             {"line", reviews[i].at.line},
                             {"path", path},
                             {"expected", expected},
                             {"got", got}});
  const Json report{{"reviews", reviews.size()},
                    {"requests", load.requests()},
                    {"connections", options.connections},
                    {"seconds", seconds(load)},
                    {"requestsPerSecond", rounded(a_second(load))},
                    {"allowed", count(load, Admitted::kAllowed)},
                    {"patched", count(load, Admitted::kPatched)},
                    {"denied", count(load, Admitted::kDenied)},
                    {"noAnswer", count(load, Admitted::kNoAnswer)},
                    {"different", load.different},
                    {"sentAgain", load.again},
                    {"latencyMilliseconds", std::move(latency)},
                    {"differences", std::move(differences)}};
  return report.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace fluxhook::cli
