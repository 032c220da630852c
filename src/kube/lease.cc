#include "fluxhook/kube/lease.h"

#include <random>

#include "fluxhook/kube/object.h"
#include "fluxhook/kube/time.h"
#include "kube/lease_object.h"
#include "kube/time_limit.h"

namespace fluxhook::kube {

LeaseStep decide(const std::optional<SeenLease>& seen, const std::string& identity,
                 std::chrono::steady_clock::time_point now) {
  if (!seen) return LeaseStep::kCreate;
  if (seen->record.holder == identity) return LeaseStep::kRenew;
  const bool over = seen->since + seen->record.duration <= now;
  return seen->record.holder.empty() || over ? LeaseStep::kTake : LeaseStep::kWait;
}

namespace {

using std::chrono::milliseconds;

/// One candidate.
class Candidate {
public:
  Candidate(Client& client, const ElectionOptions& options, const ElectionHandler& handler)
      : client_(client), options_(options), handler_(handler),
        list_path_(path_of(kLeases, options.name_space)),
        path_(path_of(kLeases, options.name_space, options.name)) {}

  void run(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      if (!seek(stop)) return;
      handler_.started();
      hold(stop);
      handler_.stopped();
      if (stop.stop_requested()) release();
    }
  }

private:
  inline static const Resource kLeases{"coordination.k8s.io", "v1", "leases"};

  bool seek(const std::stop_token& stop);
  void hold(const std::stop_token& stop);
  void release();
  bool try_once(const std::stop_token& stop);
  ApiResult<void> look(const std::stop_token& stop);
  ApiResult<void> write(LeaseStep step, const std::stop_token& stop);
  ApiResult<void> take_over(const std::string& answer);
  bool pause(const std::stop_token& stop, bool jitter);

  Client& client_;
  const ElectionOptions& options_;
  const ElectionHandler& handler_;
  std::string list_path_, path_;
  std::optional<SeenLease> seen_;
  std::string json_;     ///< of the lease that was seen
  bool current_ = false; ///< what was seen is what we wrote last: no need to look before the next write
  std::minstd_rand random_{std::random_device{}()};
};

/// Waits for the next try; candidates don't come all at once (client-go: JitterFactor 1.2).
bool Candidate::pause(const std::stop_token& stop, bool jitter) {
  milliseconds time = options_.retry_period;
  if (jitter) time += milliseconds(std::uniform_int_distribution<long>(0, 12 * time.count() / 10)(random_));
  return client_.options().sleep(time, stop);
}

/// Takes a Lease in as the one that is seen now.
ApiResult<void> Candidate::take_over(const std::string& answer) {
  auto lease = read_lease(answer);
  if (!lease) return std::unexpected(ApiError{ErrorKind::kMalformed, path_, lease.error().what});
  if (!seen_ || seen_->record != lease->record) seen_ = SeenLease{std::move(lease->record), options_.now()};
  json_ = std::move(lease->json);
  return {};
}

ApiResult<void> Candidate::look(const std::stop_token& stop) {
  const auto got = client_.get(path_, stop);
  if (got) return take_over(*got);
  if (got.error().kind != ErrorKind::kNotFound) return std::unexpected(got.error());
  seen_.reset();
  return {};
}

ApiResult<void> Candidate::write(LeaseStep step, const std::stop_token& stop) {
  const std::string now = format_micro_time(options_.time());
  LeaseRecord record{options_.identity, options_.lease_duration, now, now, 0};
  if (seen_) record.transitions = seen_->record.transitions + (step == LeaseStep::kTake ? 1 : 0);
  if (seen_ && step == LeaseStep::kRenew) record.acquire_time = seen_->record.acquire_time;
  auto written = step == LeaseStep::kCreate
                     ? client_.create(list_path_, new_lease(options_, record), {}, stop)
                     : client_.update(path_, with_record({{}, json_}, record), {}, stop);
  current_ = written.has_value();
  if (!written) return std::unexpected(std::move(written.error()));
  return take_over(*written);
}

/// Whether the lease is ours, renewed just now.
bool Candidate::try_once(const std::stop_token& stop) {
  if (!current_)
    if (const auto looked = look(stop); !looked) {
      if (looked.error().kind != ErrorKind::kStopped) handler_.trouble(looked.error());
      return false;
    }
  const LeaseStep step = decide(seen_, options_.identity, options_.now());
  if (step == LeaseStep::kWait) return false;
  const auto written = write(step, stop);
  const bool beaten = !written && (written.error().kind == ErrorKind::kConflict ||
                                   written.error().kind == ErrorKind::kAlreadyExists);
  if (!written && !beaten && written.error().kind != ErrorKind::kStopped) handler_.trouble(written.error());
  return written.has_value();
}

bool Candidate::seek(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const TimeLimit limit(stop, options_.renew_deadline);
    if (try_once(limit.token())) return true;
    current_ = false;
    if (!pause(stop, true)) break;
  }
  return false;
}

/// Renews until it is stopped or the deadline has passed.
void Candidate::hold(const std::stop_token& stop) {
  auto renewed = options_.now();
  while (pause(stop, false)) {
    const auto left =
        std::chrono::duration_cast<milliseconds>(renewed + options_.renew_deadline - options_.now());
    if (left.count() <= 0) break;
    const auto begun = options_.now();
    const TimeLimit limit(stop, left);
    if (try_once(limit.token())) renewed = begun;
    else if (decide(seen_, options_.identity, options_.now()) == LeaseStep::kWait)
      break; // somebody else has it
  }
}

/// Gives the lease up, so that another one needs not wait for its end; a server that doesn't answer holds
/// nobody up for long. It is tried twice: a renewal that was stopped on its way may yet be stored.
void Candidate::release() {
  const TimeLimit limit({}, 2 * options_.retry_period);
  for (int tries = 0; tries < 2; ++tries) {
    if (!look(limit.token()) || !seen_ || seen_->record.holder != options_.identity) return;
    const std::string now = format_micro_time(options_.time());
    const LeaseRecord released{"", std::chrono::seconds(1), now, now, seen_->record.transitions};
    const auto written = client_.update(path_, with_record({{}, json_}, released), {}, limit.token());
    if (written) return;
    handler_.trouble(written.error());
  }
}

} // namespace

void elect(Client& client, const ElectionOptions& options, const ElectionHandler& handler,
           const std::stop_token& stop) {
  Candidate(client, options, handler).run(stop);
}

} // namespace fluxhook::kube
