#pragma once

#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "fluxhook/admission/admission.h"
#include "server/clock.h"

namespace fluxhook::server {

/// What the server counts, in Prometheus' terms; thread-safe. No label holds what a caller can make up, so
/// that nobody can make the set of series grow.
class Metrics {
public:
  /// `more`: what text() has besides.
  explicit Metrics(std::function<std::string()> more = [] { return std::string(); });
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  /// A review was answered `took` after its last byte had come.
  void review(admission::Webhook webhook, std::string_view operation, admission::Verdict verdict,
              Clock::duration took);
  void request_refused(int status); ///< an answer with an HTTP status of 400 or more
  void review_queued(Clock::duration waited);
  void review_shed();
  void reviews_in_flight(int change);

  void connections(int change);
  void connection_refused();
  void connection_timed_out();
  void handshake_failed();

  void certificate(std::time_t not_after, bool equals_disk);
  void certificate_trusted(bool is); ///< by both webhook configurations; no series until it is known
  void ready(bool is);

  /// All of it in Prometheus' text format, and the process's own figures.
  [[nodiscard]] std::string text() const;

private:
  struct Families;
  std::unique_ptr<Families> families_;
  std::function<std::string()> more_;
};

} // namespace fluxhook::server
