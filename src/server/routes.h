#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "fluxhook/server/server.h"
#include "server/connection.h"

namespace fluxhook::server {

/// "" when the server is ready; else why it is not.
using Readiness = std::function<std::string()>;

/// Turns requests into answers, on cpp-httplib's parsing and writing of HTTP/1.1. Thread-safe.
class Routes {
public:
  /// /mutate, /validate, /livez, /readyz and /healthz. While `draining`, each answer is its connection's
  /// last.
  Routes(Reviewer reviewer, Readiness readiness, const std::atomic<bool>& draining, Metrics& metrics,
         const std::shared_ptr<const Log>& log);
  /// /metrics alone.
  Routes(const std::atomic<bool>& draining, Metrics& metrics, std::shared_ptr<const Log> log);
  ~Routes();
  Routes(const Routes&) = delete;
  Routes& operator=(const Routes&) = delete;

  /// As a Service.
  [[nodiscard]] std::string answer(Request& request, bool& close);

private:
  class Http;
  std::unique_ptr<Http> http_;
};

} // namespace fluxhook::server
