#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "fluxhook/server/server.h"
#include "server/client.h"

namespace fluxhook::server::test {

/// A reviewer that answers with what it was asked, and holds back those whose body begins with "wait" until
/// it is told to go on.
class Echo {
public:
  Result<admission::Answer> operator()(std::string& body, admission::Webhook webhook) {
    if (body == "bad") return fail("byte 0", "not JSON");
    if (body == "throw") throw std::runtime_error("secret detail");
    if (body.starts_with("wait")) {
      std::unique_lock lock(mutex_);
      ++waiting_;
      changed_.notify_all();
      changed_.wait(lock, [&] { return open_; });
    }
    const std::string name = webhook == admission::Webhook::kMutate ? "mutate:" : "validate:";
    return admission::Answer{.body = name + body,
                             .verdict = admission::Verdict::kAllowed,
                             .uid = "u",
                             .name = "n",
                             .operation = "CREATE"};
  }

  void wait_for(int count) { // until so many are held back
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return waiting_ >= count; });
  }
  void open() {
    const std::scoped_lock lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int waiting_ = 0;
  bool open_ = false;
};

/// On a port of its own, without metrics and log, one thread that decides, and no waiting but for reviews.
inline Options quiet_options() {
  Options options;
  options.listen = {"127.0.0.1", 0};
  options.metrics = false;
  options.ephemeral = true;
  options.threads = 1;
  options.drain_accept = std::chrono::milliseconds(0);
  options.drain_timeout = std::chrono::minutes(5);
  options.log = std::make_shared<Log>(LogFormat::kText, LogLevel::kOff);
  return options;
}

struct Running {
  explicit Running(const Options& options = quiet_options()) {
    auto started = Server::start(options, std::ref(echo));
    REQUIRE(started);
    server = std::move(*started);
  }
  ~Running() { echo.open(); }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  [[nodiscard]] const Address& at() const { return server->address(); }

  Echo echo;
  std::unique_ptr<Server> server;
};

inline std::vector<std::unique_ptr<Client>> connect(std::size_t count, const Address& address,
                                                    Client::Stop stop = Client::Stop::kHandshake) {
  std::vector<std::unique_ptr<Client>> clients;
  clients.reserve(count);
  for (std::size_t i = 0; i < count; ++i)
    clients.push_back(std::make_unique<Client>(address, stop));
  return clients;
}

} // namespace fluxhook::server::test
