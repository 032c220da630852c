#include "kube/stopper.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <ctime>

namespace fluxhook::kube {

namespace {

sigset_t broken_pipe() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGPIPE);
  return set;
}

} // namespace

Stopper::~Stopper() { forget(); }

void Stopper::forget() {
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
}

void Stopper::arm() {
  const std::scoped_lock lock(mutex_);
  stopped_ = false;
}

void Stopper::follow(int socket) {
  const std::scoped_lock lock(mutex_);
  forget();
  if (!stopped_) {
    socket_ = ::fcntl(socket, F_DUPFD_CLOEXEC, 0);
    return;
  }
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  ::dup2(nothing, socket); // connect() will say that this is no socket
  ::close(nothing);
}

void Stopper::stop() {
  const std::scoped_lock lock(mutex_);
  stopped_ = true;
  // Reading only: OpenSSL says good-bye yet. A socket that is connecting gives up by this as well.
  if (socket_ >= 0) ::shutdown(socket_, SHUT_RD);
}

NoBrokenPipe::NoBrokenPipe() {
  const sigset_t set = broken_pipe();
  sigset_t pending, before;
  sigpending(&pending);
  if (sigismember(&pending, SIGPIPE) == 1) return;
  ::pthread_sigmask(SIG_BLOCK, &set, &before);
  mine_ = sigismember(&before, SIGPIPE) == 0;
}

NoBrokenPipe::~NoBrokenPipe() {
  if (!mine_) return;
  const sigset_t set = broken_pipe();
  const std::timespec at_once{};
  while (::sigtimedwait(&set, nullptr, &at_once) == SIGPIPE) {
  }
  ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

} // namespace fluxhook::kube
