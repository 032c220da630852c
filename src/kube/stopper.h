#pragma once

#include <mutex>

namespace fluxhook::kube {

/// Ends what another thread does with a socket: connecting, or waiting for bytes. cpp-httplib's own stop()
/// waits while a connection is being made, and what it stops comes back with the next request.
class Stopper {
public:
  Stopper() = default;
  ~Stopper();
  Stopper(const Stopper&) = delete;
  Stopper& operator=(const Stopper&) = delete;

  /// A new request begins: what was stopped is over.
  void arm();
  /// A socket that is about to connect. A duplicate of it is kept, so that stop() can't meet another one that
  /// got its number. After stop() the socket is made useless.
  void follow(int socket);
  void stop();

private:
  void forget();

  std::mutex mutex_;
  int socket_ = -1;
  bool stopped_ = false;
};

/// While it lives, writing to a connection that the peer has closed is an error and no signal: OpenSSL writes
/// with write(2).
class NoBrokenPipe {
public:
  NoBrokenPipe();
  ~NoBrokenPipe();
  NoBrokenPipe(const NoBrokenPipe&) = delete;
  NoBrokenPipe& operator=(const NoBrokenPipe&) = delete;

private:
  bool mine_ = false; ///< it was not blocked or pending before
};

} // namespace fluxhook::kube
