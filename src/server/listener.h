#pragma once

#include <string>

#include "fluxhook/files/fd.h"
#include "fluxhook/server/address.h"

namespace fluxhook::server {

/// A listening, non-blocking TCP socket.
struct Listener {
  files::Fd socket;
  Address address; ///< as bound: numeric, with the real port
};

/// Error: a host that is none of this machine's, or an address in use, in words of the system.
[[nodiscard]] Result<Listener> listen_on(const Address& address);

/// A connection that was accepted; its socket is non-blocking and sends at once.
struct Accepted {
  files::Fd socket;
  std::string remote; ///< "10.0.0.1:43210"
};

/// The next connection; none (no socket) when there is none, `error` is errno then.
[[nodiscard]] Accepted accept_on(const Listener& listener, int& error);

} // namespace fluxhook::server
