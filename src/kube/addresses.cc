#include "kube/addresses.h"

#include <netdb.h>
#include <sys/socket.h>

#include <array>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>

namespace fluxhook::kube {

namespace {

/// Asks the resolver, by its own timeouts; `flags` as getaddrinfo(3) has them.
std::vector<std::string> look_up(const std::string& host, int flags) {
  addrinfo hints{}, *found = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags;
  if (::getaddrinfo(host.c_str(), nullptr, &hints, &found) != 0) return {};
  std::vector<std::string> addresses;
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    std::array<char, NI_MAXHOST> text{};
    if (::getnameinfo(one->ai_addr, one->ai_addrlen, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) ==
        0)
      addresses.emplace_back(text.data());
  }
  ::freeaddrinfo(found);
  return addresses;
}

/// What a thread finds out; it has its share of it, since it may find it out when nobody waits any more.
struct Lookup {
  std::mutex mutex;
  std::condition_variable_any changed;
  std::optional<std::vector<std::string>> addresses;
};

} // namespace

std::vector<std::string> addresses_of(const std::string& host, std::chrono::milliseconds most,
                                      const std::stop_token& stop) {
  if (auto own = look_up(host, AI_NUMERICHOST); !own.empty()) return own;
  const auto lookup = std::make_shared<Lookup>();
  try {
    std::thread([lookup, host] {
      auto found = look_up(host, 0);
      const std::scoped_lock lock(lookup->mutex);
      lookup->addresses = std::move(found);
      lookup->changed.notify_all();
    }).detach();
  } catch (const std::system_error&) { // no more threads
    return {};
  }
  std::unique_lock lock(lookup->mutex);
  lookup->changed.wait_for(lock, stop, most, [&] { return lookup->addresses.has_value(); });
  return lookup->addresses.value_or(std::vector<std::string>());
}

} // namespace fluxhook::kube
