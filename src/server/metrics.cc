#include "server/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <sstream>
#include <utility>

#include "fluxhook/base/version.h"
#include "server/process.h"
#include "server/status.h"

namespace fluxhook::server {

namespace {

using prometheus::Counter;
using prometheus::Family;
using prometheus::Gauge;
using prometheus::Histogram;

constexpr std::array kWebhooks{admission::Webhook::kMutate, admission::Webhook::kValidate};
constexpr std::array kVerdicts{admission::Verdict::kAllowed, admission::Verdict::kPatched,
                               admission::Verdict::kDenied};
/// The last one stands for whatever an API server would never say.
constexpr std::array<std::string_view, 5> kOperations{"CREATE", "UPDATE", "DELETE", "CONNECT", "other"};

/// Seconds. From a tenth of a millisecond: a review takes some 10 µs, and the tail is what is to be seen.
const Histogram::BucketBoundaries kBuckets{0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025,
                                           0.05,   0.1,     0.25,   0.5,   1,      2.5,   5,    10};

double seconds(Clock::duration duration) { return std::chrono::duration<double>(duration).count(); }

Family<Counter>& counter(prometheus::Registry& registry, const char* name, const char* help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
}
Family<Gauge>& gauge(prometheus::Registry& registry, const char* name, const char* help) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(registry);
}
Family<Histogram>& histogram(prometheus::Registry& registry, const char* name, const char* help) {
  return prometheus::BuildHistogram().Name(name).Help(help).Register(registry);
}

} // namespace

struct Metrics::Families {
  /// The series of one webhook, operation and verdict; looked up once, since that costs a lock and a hash.
  struct Series {
    std::atomic<Histogram*> duration{nullptr};
    std::atomic<Counter*> total{nullptr};
  };
  using ByVerdict = std::array<Series, kVerdicts.size()>;
  using ByOperation = std::array<ByVerdict, kOperations.size()>;

  prometheus::Registry registry;
  Family<Histogram>& duration = histogram(registry, "fluxhook_admission_duration_seconds",
                                          "From a review's last byte to its answer, queue time included.");
  Family<Counter>& total = counter(registry, "fluxhook_reviews_total", "Reviews answered.");
  Histogram& queue = histogram(registry, "fluxhook_review_queue_duration_seconds",
                               "Time that reviews waited for a thread to decide them.")
                         .Add({}, kBuckets);
  Counter& shed = counter(registry, "fluxhook_reviews_shed_total",
                          "Reviews refused with 429, since they could not be answered in time.")
                      .Add({});
  Gauge& in_flight =
      gauge(registry, "fluxhook_reviews_in_flight", "Reviews read and not answered yet.").Add({});
  Family<Counter>& refused =
      counter(registry, "fluxhook_requests_refused_total", "Requests answered with an HTTP status >= 400.");
  Gauge& connections = gauge(registry, "fluxhook_connections", "Open connections.").Add({});
  Counter& connections_refused = counter(registry, "fluxhook_connections_refused_total",
                                         "Connections closed at once, past the limit on connections.")
                                     .Add({});
  Counter& connections_timed_out = counter(registry, "fluxhook_connections_timed_out_total",
                                           "Connections ended by the handshake, read, write or idle limit.")
                                       .Add({});
  Counter& handshakes_failed =
      counter(registry, "fluxhook_tls_handshakes_failed_total", "TLS handshakes that failed.").Add({});
  Gauge& expiry = gauge(registry, "fluxhook_certificate_expiry_timestamp_seconds",
                        "When the served certificate expires, seconds since 1970.")
                      .Add({});
  Gauge& equals_disk = gauge(registry, "fluxhook_certificate_served_equals_disk",
                             "1: the served certificate is the one on disk; 0: that one can't be used.")
                           .Add({});
  Family<Gauge>& equals_bundle =
      gauge(registry, "fluxhook_certificate_served_equals_bundle",
            "1: the caBundle of both webhook configurations vouches for the served certificate.");
  Gauge& ready = gauge(registry, "fluxhook_ready", "What /readyz says.").Add({});
  Gauge& build = gauge(registry, "fluxhook_build_info", "Always 1; the version is a label.")
                     .Add({{"version", std::string(kVersion)}});
  std::array<ByOperation, kWebhooks.size()> series;

  Series& of(admission::Webhook webhook, std::size_t operation, admission::Verdict verdict);
};

Metrics::Families::Series& Metrics::Families::of(admission::Webhook webhook, std::size_t operation,
                                                 admission::Verdict verdict) {
  const std::size_t w = std::to_underlying(webhook);
  const std::size_t v = std::to_underlying(verdict);
  Series& found = series.at(w).at(operation).at(v);
  if (found.total.load(std::memory_order_acquire) == nullptr) { // twice at once is the same series twice
    const prometheus::Labels labels{{"webhook", std::string(to_string(webhook))},
                                    {"operation", std::string(kOperations.at(operation))},
                                    {"verdict", std::string(to_string(verdict))}};
    found.duration.store(&duration.Add(labels, kBuckets), std::memory_order_release);
    found.total.store(&total.Add(labels), std::memory_order_release);
  }
  return found;
}

Metrics::Metrics(std::function<std::string()> more)
    : families_(std::make_unique<Families>()), more_(std::move(more)) {
  families_->build.Set(1);
  // The series that will come are there from the start: a rate() misses the first event of one that isn't.
  for (const int status : refusal_statuses())
    families_->refused.Add({{"code", std::to_string(status)}});
  for (const auto webhook : kWebhooks)
    for (const std::size_t operation : {0U, 1U}) // CREATE and UPDATE: the configurations ask for no other
      for (const auto verdict : kVerdicts)
        if (webhook == admission::Webhook::kMutate || verdict != admission::Verdict::kPatched)
          (void)families_->of(webhook, operation, verdict);
}

Metrics::~Metrics() = default;

void Metrics::review(admission::Webhook webhook, std::string_view operation, admission::Verdict verdict,
                     Clock::duration took) {
  const auto* const found = std::ranges::find(kOperations, operation);
  const std::size_t o =
      std::min(static_cast<std::size_t>(found - kOperations.begin()), kOperations.size() - 1);
  const Families::Series& series = families_->of(webhook, o, verdict);
  series.duration.load(std::memory_order_acquire)->Observe(seconds(took));
  series.total.load(std::memory_order_acquire)->Increment();
}

void Metrics::request_refused(int status) {
  families_->refused.Add({{"code", std::to_string(status)}}).Increment();
}
void Metrics::review_queued(Clock::duration waited) { families_->queue.Observe(seconds(waited)); }
void Metrics::review_shed() { families_->shed.Increment(); }
void Metrics::reviews_in_flight(int change) { families_->in_flight.Increment(change); }

void Metrics::connections(int change) { families_->connections.Increment(change); }
void Metrics::connection_refused() { families_->connections_refused.Increment(); }
void Metrics::connection_timed_out() { families_->connections_timed_out.Increment(); }
void Metrics::handshake_failed() { families_->handshakes_failed.Increment(); }

void Metrics::certificate(std::time_t not_after, bool equals_disk) {
  families_->expiry.Set(static_cast<double>(not_after));
  families_->equals_disk.Set(equals_disk ? 1 : 0);
}
void Metrics::certificate_trusted(bool is) { families_->equals_bundle.Add({}).Set(is ? 1 : 0); }
void Metrics::ready(bool is) { families_->ready.Set(is ? 1 : 0); }

std::string Metrics::text() const {
  std::ostringstream out;
  auto families = families_->registry.Collect();
  std::ranges::move(process_metrics(), std::back_inserter(families));
  prometheus::TextSerializer().Serialize(out, families);
  return std::move(out).str() + more_();
}

} // namespace fluxhook::server
