#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <limits>
#include <sstream>

#include "cli/controller_flags.h"

namespace fluxhook::cli {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

MetricFamily family(const char* name, const char* help, MetricType type) {
  return {.name = name, .help = help, .type = type, .metric = {}};
}

ClientMetric counter(std::uint64_t value, std::vector<ClientMetric::Label> labels = {}) {
  ClientMetric metric{.label = std::move(labels)};
  metric.counter.value = static_cast<double>(value);
  return metric;
}

ClientMetric gauge(double value) {
  ClientMetric metric;
  metric.gauge.value = value;
  return metric;
}

ClientMetric histogram(const companion::Figures& figures) {
  ClientMetric metric;
  std::uint64_t below = 0;
  for (std::size_t i = 0; i < figures.latency.size(); ++i) {
    below += figures.latency.at(i);
    const bool last = i == companion::kLatencyBounds.size();
    metric.histogram.bucket.push_back(
        {.cumulative_count = below,
         .upper_bound = last ? std::numeric_limits<double>::infinity() : companion::kLatencyBounds.at(i)});
  }
  metric.histogram.sample_count = below;
  metric.histogram.sample_sum = figures.latency_sum;
  return metric;
}

} // namespace

std::string metrics_text(const companion::Figures& figures) {
  auto created =
      family("fluxhook_companions_created_total", "Objects created for JobSets.", MetricType::Counter);
  created.metric = {counter(figures.config_maps, {{"kind", "ConfigMap"}}),
                    counter(figures.secrets, {{"kind", "Secret"}})};
  auto errors =
      family("fluxhook_companion_errors_total",
             "Tries to create a JobSet's companions that failed, retries included.", MetricType::Counter);
  for (const auto& [reason, count] : figures.errors)
    errors.metric.push_back(counter(count, {{"reason", reason}}));
  auto watches = family("fluxhook_watch_faults_total", "Lists and watches that failed.", MetricType::Counter);
  watches.metric = {counter(figures.watch_faults)};
  auto leader = family("fluxhook_leader", "1: this replica creates the companions.", MetricType::Gauge);
  leader.metric = {gauge(figures.leader ? 1 : 0)};
  auto queue = family("fluxhook_companion_queue", "JobSets that wait for companions.", MetricType::Gauge);
  queue.metric = {gauge(static_cast<double>(figures.queue))};
  auto latency =
      family("fluxhook_companion_duration_seconds",
             "From when a JobSet was seen to need companions to when it had both.", MetricType::Histogram);
  latency.metric = {histogram(figures)};
  std::ostringstream out;
  prometheus::TextSerializer().Serialize(out, {created, errors, watches, leader, queue, latency});
  return std::move(out).str();
}

} // namespace fluxhook::cli
