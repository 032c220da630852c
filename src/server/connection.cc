#include "server/connection.h"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace fluxhook::server {

namespace {

constexpr std::size_t kLargeBody = 64U << 10U; ///< from here a body takes a share of the budget
constexpr std::size_t kIdleBuffer = 1024;      ///< what an idle connection may keep allocated
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
/// How long the end of a refused or last request is waited for, so that its sender gets to read the answer.
constexpr std::chrono::milliseconds kLinger{2'000};
/// How long a new connection, or one just answered, may be about to send a request.
constexpr std::chrono::milliseconds kSettle{2'000};

/// What a review's caller is told who may not send one.
std::optional<Refusal> refusal_of(Caller caller) {
  if (caller == Caller::kNobody) return Refusal{401, "a client certificate is required"};
  if (caller == Caller::kWrongName)
    return Refusal{403, "the client certificate is for another name than those accepted here"};
  return {};
}

} // namespace

Connection::Connection(Transport transport, std::string remote, const Surroundings& surroundings)
    : transport_(std::move(transport)), remote_(std::move(remote)), surroundings_(surroundings) {
  enter(Phase::kHandshake, surroundings.options.handshake_timeout);
}

void Connection::enter(Phase phase, std::chrono::milliseconds limit) {
  phase_ = phase;
  deadline_ = Clock::now() + limit;
}

Connection::Step Connection::advance() {
  switch (phase_) {
  case Phase::kHandshake: return handshake();
  case Phase::kIdle:
  case Phase::kHead: return read_head();
  case Phase::kBody: return read_body();
  case Phase::kRequest: return Step::kRequest;
  case Phase::kWrite: return write();
  case Phase::kLinger: return linger();
  case Phase::kClosed: break;
  }
  return Step::kClosed;
}

Connection::Step Connection::wait_for(Io io) {
  if (io == Io::kClosed) return closed();
  return io == Io::kWantRead ? Step::kWantRead : Step::kWantWrite;
}

Connection::Step Connection::closed() {
  phase_ = Phase::kClosed;
  return Step::kClosed;
}

Connection::Step Connection::handshake() {
  const Io io = transport_.handshake();
  if (io == Io::kDone) {
    caller_ = identify(transport_.ssl(), surroundings_.options.client_names);
    enter(Phase::kIdle, surroundings_.options.idle_timeout);
    return read_head();
  }
  if (io != Io::kClosed) return wait_for(io);
  if (transport_.fault().empty()) // a probe that only connects, or a peer that left
    return closed();
  surroundings_.metrics.handshake_failed();
  if (const std::int64_t failures = surroundings_.handshake_faults.pass(Clock::now()); failures > 0)
    surroundings_.options.log->warn(
        "TLS handshake failed",
        {{"remote", remote_}, {"reason", transport_.fault()}, {"failures", failures}});
  transport_.end_writing(); // what OpenSSL has to say about it has been sent
  enter(Phase::kLinger, kLinger);
  return linger();
}

Connection::Step Connection::read_head() {
  for (;;) {
    if (!in_.empty()) {
      if (phase_ == Phase::kIdle) {
        enter(Phase::kHead, surroundings_.options.head_timeout);
        request_.began = Clock::now();
      }
      auto head = parse_head(in_, surroundings_.options.max_body);
      if (!head) return refuse(std::move(head.error()));
      if (std::optional<Head>& whole = *head) return begin_body(std::move(*whole));
    }
    std::array<char, 16384> buffer; // a TLS record
    std::size_t size = 0;
    if (const Io io = transport_.read(buffer.data(), buffer.size(), size); io != Io::kDone)
      return wait_for(io);
    in_.append(buffer.data(), size);
  }
}

Connection::Step Connection::begin_body(Head head) {
  if (head.is_review()) // before it takes any memory
    if (auto refusal = refusal_of(caller_)) return refuse(std::move(*refusal));
  if (head.content_length > kLargeBody) {
    share_ = surroundings_.large_bodies.take(head.content_length);
    if (!share_) return refuse({429, "too many large requests at once"});
  }
  request_.head = std::move(head);
  const std::size_t length = request_.head.content_length;
  const std::size_t here = std::min(length, in_.size() - request_.head.size);
  request_.body.reserve(length);
  request_.body.assign(in_, request_.head.size, here);
  in_.erase(0, request_.head.size + here);
  if (request_.head.expects_continue && here < length) {
    std::size_t done = 0;
    if (transport_.write(kContinue.data(), kContinue.size(), done) != Io::kDone || done != kContinue.size())
      return closed(); // a peer that has not even read the last answer
  }
  enter(Phase::kBody, surroundings_.options.body_timeout);
  return read_body();
}

Connection::Step Connection::read_body() {
  std::string& body = request_.body;
  while (body.size() < request_.head.content_length) {
    Io io = Io::kDone;
    body.resize_and_overwrite(request_.head.content_length,
                              [&, begin = body.size()](char* text, std::size_t size) {
                                std::size_t done = 0;
                                io = transport_.read(text + begin, size - begin, done);
                                return begin + done;
                              });
    if (io != Io::kDone) return wait_for(io);
  }
  return take_request();
}

Connection::Step Connection::take_request() {
  phase_ = Phase::kRequest;
  deadline_ = Clock::time_point::max(); // it is ours to be in time now
  request_.arrived = Clock::now();
  request_.remote = remote_;
  return Step::kRequest;
}

/// A request that was not understood, or not read to its end: what follows it on the connection has no
/// meaning.
Connection::Step Connection::refuse(Refusal refusal) {
  surroundings_.metrics.request_refused(refusal.status);
  surroundings_.options.log->info(
      "request refused",
      {{"remote", remote_}, {"status", std::int64_t{refusal.status}}, {"reason", refusal.message}});
  answer(refusal_answer(refusal, true), true);
  return write();
}

void Connection::answer(std::string message, bool close) {
  out_ = std::move(message);
  written_ = 0;
  last_ = close;
  request_ = {};
  enter(Phase::kWrite, surroundings_.options.write_timeout);
}

Connection::Step Connection::write() {
  while (written_ < out_.size()) {
    std::size_t done = 0;
    if (const Io io = transport_.write(out_.data() + written_, out_.size() - written_, done); io != Io::kDone)
      return wait_for(io);
    written_ += done;
  }
  return finish_answer();
}

Connection::Step Connection::finish_answer() {
  out_ = {};
  share_ = {}; // an answer may be as large as its request
  if (last_) {
    transport_.end_writing();
    enter(Phase::kLinger, kLinger);
    return linger();
  }
  if (in_.empty() && in_.capacity() > kIdleBuffer) in_ = {};
  enter(Phase::kIdle, surroundings_.options.idle_timeout);
  return in_.empty() && !transport_.has_pending() ? Step::kWantRead : Step::kTurn;
}

Connection::Step Connection::linger() { return wait_for(transport_.discard()); }

bool Connection::end_if_late(Clock::time_point now) {
  Clock::time_point deadline = deadline_;
  if (now < deadline || !deadline_.compare_exchange_strong(deadline, Clock::time_point::max()))
    return false; // in time, or just gone on to something else
  // Reading sees the end of the stream after what has come; a peer that does not read must be cut off.
  const Phase phase = phase_;
  const bool reading = phase == Phase::kIdle || phase == Phase::kHead || phase == Phase::kBody;
  ::shutdown(fd(), reading ? SHUT_RD : SHUT_RDWR);
  return true;
}

void Connection::end_if_idle(Clock::time_point now) {
  const Clock::time_point since = deadline_.load() - surroundings_.options.idle_timeout;
  if (phase_ == Phase::kIdle && now - since >= kSettle) ::shutdown(fd(), SHUT_RD);
}

} // namespace fluxhook::server
