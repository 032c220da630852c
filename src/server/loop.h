#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <semaphore>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "server/certificates.h"
#include "server/connection.h"
#include "server/gate.h"
#include "server/listener.h"

namespace fluxhook::server {

/// Makes the answer to a request, a whole HTTP message; `close`: the connection ends with it. Sets `close`
/// when the answer itself says so.
using Service = std::function<std::string(Request& request, bool& close)>;

/// A listener, and what is behind it.
struct Door {
  Listener listener;
  bool tls = true; ///< false: plain HTTP
  Service service;
  std::size_t max_connections = 0;
  std::size_t connections = 0; ///< open; the loop's own
};

/// A connection, and where it came in.
struct Guest {
  Connection connection;
  Door& door;
  /// Held while it is armed: whoever gets its event goes on when the thread before has let go of it.
  std::mutex hand_over{};
};

/// A thread's right to take events. There are as many as reviews may be decided at once, so that no thread is
/// set aside by the scheduler, and a connection with it, for another one of ours; and a thread more, which
/// has none until one that decides what takes long lends it its own.
class Seat {
public:
  explicit Seat(std::counting_semaphore<>& seats) : seats_(seats) {}
  Seat(const Seat&) = delete;
  Seat& operator=(const Seat&) = delete;
  ~Seat() { lend(); }

  void take() { ///< waits for one, unless this thread has it
    if (!taken_) seats_.acquire();
    taken_ = true;
  }
  void lend() {
    if (taken_) seats_.release();
    taken_ = false;
  }

private:
  std::counting_semaphore<>& seats_;
  bool taken_ = false;
};

/// The connections of all listeners, and the threads that serve them. One epoll set holds every socket, each
/// armed for one event: whichever thread gets it goes as far with that connection as it can without waiting,
/// and arms it again. So an idle or slow connection holds no thread, and a review is decided by the thread
/// that read its last byte. However long that takes, somebody else has a seat, and reads, answers probes and
/// refuses what can't be answered in time.
class Loop {
public:
  /// `certificates` gives each new connection its TLS context. All must outlive the loop.
  Loop(const Options& options, Metrics& metrics, const Certificates& certificates);
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;
  ~Loop(); ///< ends the threads at once; connections are cut

  void add(Door door); ///< before start()
  void start();

  void end_late(Clock::time_point now); ///< ends the connections whose time is up; to be called now and then
  void stop_listening();                ///< takes what the kernel has accepted and no more
  /// Ends each connection once it is between two requests, until there are none. False: there still are at
  /// the deadline.
  bool finish(Clock::time_point deadline);

private:
  void run();
  void on_door(Door& door);
  bool accept_some(Door& door);
  void admit(Door& door, Accepted accepted);
  void serve(Guest& guest, Seat& seat);
  void decide(Guest* guest, Seat& seat);
  Connection::Step advance(Guest& guest);
  bool handle(Guest& guest, Seat& seat);
  void shed(Guest& guest);
  void answer(Guest& guest);
  void arm(int operation, int fd, std::uint32_t events, void* who) const;
  void wait_for(Guest& guest, std::uint32_t event) const;
  void remove(Guest& guest);
  [[nodiscard]] int wait_milliseconds();

  const Options& options_;
  Metrics& metrics_;
  const Certificates& certificates_;
  const std::size_t threads_;
  Budget large_bodies_;
  Throttle handshake_faults_{std::chrono::seconds(1)};
  Connection::Surroundings surroundings_;
  Gate gate_;
  std::counting_semaphore<> seats_;
  files::Fd epoll_;
  files::Fd wake_;    ///< readable: the threads are to end
  files::Fd reserve_; ///< given up for a moment when there are no more descriptors
  std::vector<std::unique_ptr<Door>> doors_;
  std::atomic<bool> ended_{false};

  std::mutex mutex_; ///< of guests_, and of the doors' counts
  std::condition_variable left_;
  std::unordered_map<Guest*, std::unique_ptr<Guest>> guests_;
  std::vector<std::jthread> workers_;
};

} // namespace fluxhook::server
