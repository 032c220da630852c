#include "server/loop.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <exception>
#include <utility>

#include "server/process.h"

namespace fluxhook::server {

namespace {

/// Of a caller's timeout a review may wait three quarters: the rest is for deciding it and for the way back.
Clock::time_point latest_start(const Request& request) {
  return request.began + request.head.timeout * 3 / 4;
}

constexpr std::chrono::microseconds kLongDecision{200}; ///< from here on the thread's seat is lent meanwhile
constexpr int kAcceptAtOnce = 64;                       ///< connections taken before it is the others' turn

} // namespace

Loop::Loop(const Options& options, Metrics& metrics, const Certificates& certificates)
    : options_(options), metrics_(metrics), certificates_(certificates),
      threads_(options.threads == 0 ? usable_cores() : options.threads),
      large_bodies_(options.max_large_bodies),
      surroundings_{options, metrics, large_bodies_, handshake_faults_}, gate_(threads_, metrics),
      seats_(static_cast<std::ptrdiff_t>(threads_)), epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), reserve_(::open("/dev/null", O_RDONLY | O_CLOEXEC)) {
  arm(EPOLL_CTL_ADD, wake_.get(), EPOLLIN, nullptr);
}

Loop::~Loop() {
  ended_ = true;
  ::eventfd_write(wake_.get(), 1); // stays readable, for every thread
  workers_.clear();
}

void Loop::add(Door door) { doors_.push_back(std::make_unique<Door>(std::move(door))); }

void Loop::start() {
  for (const auto& door : doors_)
    arm(EPOLL_CTL_ADD, door->listener.socket.get(), EPOLLIN | EPOLLONESHOT, door.get());
  for (std::size_t i = 0; i <= threads_; ++i)
    workers_.emplace_back([this] { run(); });
}

void Loop::arm(int operation, int fd, std::uint32_t events, void* who) const {
  epoll_event event{.events = events, .data = {.ptr = who}};
  ::epoll_ctl(epoll_.get(), operation, fd, &event);
}

void Loop::wait_for(Guest& guest, std::uint32_t event) const {
  const std::scoped_lock lock(guest.hand_over);
  arm(EPOLL_CTL_MOD, guest.connection.fd(), event | EPOLLONESHOT, &guest);
}

/// Until the first of those that wait must be refused; for ever when none waits.
int Loop::wait_milliseconds() {
  const auto deadline = gate_.next_deadline();
  if (!deadline) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - Clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 60'000));
}

void Loop::run() {
  for (Seat seat(seats_); !ended_;) {
    seat.take();
    epoll_event event{};
    const int count = ::epoll_wait(epoll_.get(), &event, 1, wait_milliseconds());
    for (Guest* const late : gate_.expired(Clock::now())) {
      shed(*late);
      serve(*late, seat);
    }
    if (count < 1 || event.data.ptr == nullptr) continue;
    const auto door = std::ranges::find(doors_, event.data.ptr, [](const auto& d) { return d.get(); });
    if (door != doors_.end()) {
      on_door(**door);
    } else {
      auto& guest = *static_cast<Guest*>(event.data.ptr);
      std::unique_lock(guest.hand_over).unlock();
      serve(guest, seat);
    }
  }
}

void Loop::on_door(Door& door) {
  try {
    accept_some(door);
  } catch (const std::exception& error) { // out of memory
    options_.log->error("connection given up", {{"reason", error.what()}});
  }
  arm(EPOLL_CTL_MOD, door.listener.socket.get(), EPOLLIN | EPOLLONESHOT, &door);
}

/// False: there are no more for now.
bool Loop::accept_some(Door& door) {
  for (int i = 0; i < kAcceptAtOnce; ++i) {
    int error = 0;
    Accepted accepted = accept_on(door.listener, error);
    if (accepted.socket) {
      admit(door, std::move(accepted));
    } else if (error == EMFILE || error == ENFILE) {
      // Left alone, the connection would stay in the queue and wake us without end: take it with the reserve,
      // and close it.
      const std::scoped_lock lock(mutex_);
      reserve_.reset();
      const bool taken{accept_on(door.listener, error).socket};
      reserve_ = files::Fd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
      if (!taken) return false;
      metrics_.connection_refused();
    } else if (error != ECONNABORTED && error != EINTR) {
      return false;
    }
  }
  return true;
}

/// Counts it last: what memory there is may not be enough for a connection.
void Loop::admit(Door& door, Accepted accepted) {
  const std::scoped_lock lock(mutex_);
  if (door.connections >= door.max_connections) return metrics_.connection_refused();
  SslPtr ssl(door.tls ? SSL_new(certificates_.current()->ssl.get()) : nullptr);
  if (door.tls && !ssl) return metrics_.connection_refused();
  auto guest =
      std::unique_ptr<Guest>(new Guest{.connection{Transport(std::move(accepted.socket), std::move(ssl)),
                                                   std::move(accepted.remote), surroundings_},
                                       .door = door});
  Guest* const who = guest.get();
  guests_.emplace(who, std::move(guest));
  ++door.connections;
  metrics_.connections(1);
  arm(EPOLL_CTL_ADD, who->connection.fd(), EPOLLIN | EPOLLONESHOT, who);
}

void Loop::remove(Guest& guest) {
  decltype(guests_)::node_type gone; // ends outside the lock: closing takes its time
  const std::scoped_lock lock(mutex_);
  --guest.door.connections;
  gone = guests_.extract(&guest);
  metrics_.connections(-1);
  if (guests_.empty()) left_.notify_all();
}

Connection::Step Loop::advance(Guest& guest) {
  try {
    return guest.connection.advance();
  } catch (const std::exception& error) { // out of memory
    options_.log->error("connection given up", {{"reason", error.what()}});
    return Connection::Step::kClosed;
  }
}

/// Goes on with a connection as far as it can; afterwards it is somebody else's, or gone.
void Loop::serve(Guest& guest, Seat& seat) {
  for (;;) {
    switch (advance(guest)) {
    case Connection::Step::kWantRead: return wait_for(guest, EPOLLIN);
    case Connection::Step::kWantWrite:
    case Connection::Step::kTurn: // a socket that can be written to comes at once, behind those that wait
      return wait_for(guest, EPOLLOUT);
    case Connection::Step::kClosed: return remove(guest);
    case Connection::Step::kRequest:
      if (!handle(guest, seat)) return;
    }
  }
}

/// True: it was answered. False: it is at the gate, or was decided and is somebody else's.
bool Loop::handle(Guest& guest, Seat& seat) {
  const Request& request = guest.connection.request();
  if (!request.head.is_review()) {
    answer(guest);
    return true;
  }
  metrics_.reviews_in_flight(1);
  switch (gate_.enter(&guest, request.body.size(), request.arrived, latest_start(request))) {
  case Gate::Entry::kWait: return false;
  case Gate::Entry::kShed: shed(guest); return true;
  case Gate::Entry::kGo: break;
  }
  decide(&guest, seat);
  return false;
}

/// Decides a review, and those that have come to wait meanwhile.
void Loop::decide(Guest* guest, Seat& seat) {
  while (guest != nullptr) {
    const std::size_t bytes = guest->connection.request().body.size();
    if (gate_.expected(bytes) >= kLongDecision) seat.lend();
    const auto begin = Clock::now();
    answer(*guest);
    metrics_.reviews_in_flight(-1);
    const auto end = Clock::now();
    Guest* const next = gate_.leave(end, end - begin, bytes);
    serve(*guest, seat);
    guest = ended_ ? nullptr : next; // the drain timeout is over: those that wait are cut off
  }
}

void Loop::answer(Guest& guest) {
  Request& request = guest.connection.request();
  bool close = !request.head.keep_alive;
  std::string message;
  try {
    message = guest.door.service(request, close);
  } catch (const std::exception& error) { // out of memory
    options_.log->error("request given up", {{"reason", error.what()}});
    message = refusal_answer({500, "internal error"}, close = true);
  }
  guest.connection.answer(std::move(message), close);
}

void Loop::shed(Guest& guest) {
  Request& request = guest.connection.request();
  const bool close = !request.head.keep_alive;
  constexpr auto kWhy = "the review can't be answered within the caller's timeout: too many are waiting";
  metrics_.reviews_in_flight(-1);
  metrics_.request_refused(429);
  options_.log->info("request refused",
                     {{"remote", request.remote}, {"status", std::int64_t{429}}, {"reason", kWhy}});
  guest.connection.answer(refusal_answer({429, kWhy}, close), close);
}

void Loop::end_late(Clock::time_point now) {
  const std::scoped_lock lock(mutex_);
  for (const auto& [who, guest] : guests_)
    if (guest->connection.end_if_late(now)) metrics_.connection_timed_out();
}

void Loop::stop_listening() {
  for (const auto& door : doors_) {
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, door->listener.socket.get(), nullptr);
    while (accept_some(*door)) {
    }
    ::shutdown(door->listener.socket.get(),
               SHUT_RD); // a thread may still be at it: the descriptor stays ours
  }
}

bool Loop::finish(Clock::time_point deadline) {
  constexpr std::chrono::milliseconds kLook{50};
  std::unique_lock lock(mutex_);
  while (!guests_.empty() && Clock::now() < deadline) {
    for (const auto& [who, guest] : guests_)
      guest->connection.end_if_idle(Clock::now());
    left_.wait_until(lock, std::min(deadline, Clock::now() + kLook));
  }
  return guests_.empty();
}

} // namespace fluxhook::server
