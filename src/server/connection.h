#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "fluxhook/server/server.h"
#include "server/budget.h"
#include "server/clock.h"
#include "server/head.h"
#include "server/metrics.h"
#include "server/throttle.h"
#include "server/tls.h"
#include "server/transport.h"

namespace fluxhook::server {

/// A request that has come in whole.
struct Request {
  Head head;
  std::string body;          ///< the one buffer that it was read into
  std::string remote;        ///< the caller's address, for the log
  Clock::time_point began;   ///< its first byte was read
  Clock::time_point arrived; ///< its last byte was read
};

/// One connection: handshake, then one request after the other. Nothing here waits: each step goes as far as
/// the socket allows and says what to wait for, so a slow peer costs its buffers and never a thread. Used by
/// one thread at a time, but for what is marked.
class Connection {
public:
  enum class Step : std::uint8_t {
    kWantRead,
    kWantWrite,
    kTurn,    ///< there is more to do at once, but it is another connection's turn
    kRequest, ///< request() is there: answer() it
    kClosed,
  };

  /// What outlives all connections.
  struct Surroundings {
    const Options& options;
    Metrics& metrics;
    Budget& large_bodies;
    Throttle& handshake_faults; ///< those that are logged
  };

  Connection(Transport transport, std::string remote, const Surroundings& surroundings);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  [[nodiscard]] Step advance();

  [[nodiscard]] Request& request() { return request_; }
  /// Sets the answer to request(), a whole HTTP message; the next advance() sends it. `close`: it is the
  /// last.
  void answer(std::string message, bool close);

  [[nodiscard]] int fd() const { return transport_.fd(); }

  /// Ends the connection if its time is up: the thread that has it, or the next one that gets it, sees the
  /// end of the stream. Any thread, as long as the connection exists. True when it was.
  bool end_if_late(Clock::time_point now);
  /// Ends the connection if it has been between two requests for a while: nothing more is read, and what has
  /// come is still answered. Any thread.
  void end_if_idle(Clock::time_point now);

private:
  enum class Phase : std::uint8_t { kHandshake, kIdle, kHead, kBody, kRequest, kWrite, kLinger, kClosed };

  Step handshake();
  Step read_head();
  Step begin_body(Head head);
  Step read_body();
  Step take_request();
  Step refuse(Refusal refusal);
  Step write();
  Step finish_answer();
  Step linger();
  Step closed();
  Step wait_for(Io io);
  void enter(Phase phase, std::chrono::milliseconds limit);

  Transport transport_;
  std::string remote_;
  const Surroundings& surroundings_;
  Caller caller_ = Caller::kNotAsked;

  std::string in_;  ///< read and not used yet
  std::string out_; ///< the answer
  std::size_t written_ = 0;
  bool last_ = false; ///< the connection ends with this answer
  Request request_;
  Budget::Share share_; ///< of the large bodies' memory

  // Read by the thread that looks after late connections.
  std::atomic<Phase> phase_{Phase::kHandshake};
  std::atomic<Clock::time_point> deadline_;
};

} // namespace fluxhook::server
