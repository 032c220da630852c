#include "server/routes.h"

#include <cstring>
#include <exception>
#include <format>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include <httplib.h>

#include "fluxhook/base/text.h"
#include "server/status.h"

namespace fluxhook::server {

/// What answers a path, and by which methods.
struct Route {
  std::string_view path;
  std::vector<std::string_view> methods;
  std::function<void(const httplib::Request&, httplib::Response&)> handler;
};

namespace {

constexpr const char* kJson = "application/json";
constexpr const char* kText = "text/plain; charset=utf-8";
constexpr const char* kMetricsText = "text/plain; version=0.0.4; charset=utf-8";

/// A request's head to read from, and an answer to write to; nothing waits.
class MemoryStream final : public httplib::Stream {
public:
  explicit MemoryStream(std::string_view in) : in_(in) {}

  [[nodiscard]] std::string take() { return std::move(out_); }

  using Stream::write;
  bool is_readable() const override { return !in_.empty(); }
  bool wait_readable() const override { return !in_.empty(); }
  bool wait_writable() const override { return true; }
  ssize_t read(char* into, size_t size) override {
    size = std::min(size, in_.size());
    std::memcpy(into, in_.data(), size);
    in_.remove_prefix(size);
    return static_cast<ssize_t>(size);
  }
  ssize_t write(const char* from, size_t size) override {
    out_.append(from, size);
    return static_cast<ssize_t>(size);
  }
  void get_remote_ip_and_port(std::string& ip, int& port) const override { ip = {}, port = 0; }
  void get_local_ip_and_port(std::string& ip, int& port) const override { ip = {}, port = 0; }
  socket_t socket() const override { return INVALID_SOCKET; }
  time_t duration() const override { return 0; }

private:
  std::string_view in_;
  std::string out_;
};

void refuse(httplib::Response& response, const Refusal& refusal) {
  response.status = refusal.status;
  response.set_content(status_body(refusal), kJson);
}

bool is_json(const std::string& content_type) {
  const std::string_view media(content_type.data(), std::min(content_type.find(';'), content_type.size()));
  return httplib::detail::case_ignore::equal(std::string(trim(media)), kJson);
}

std::string reason_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "unknown";
  }
}

} // namespace

/// cpp-httplib's server without its sockets: the loop has those.
class Routes::Http : private httplib::Server {
public:
  Http(const std::atomic<bool>& draining, Metrics& metrics, std::shared_ptr<const Log> log)
      : metrics_(metrics), log_(std::move(log)) {
    set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      route(request, response);
      return HandlerResponse::Handled;
    });
    // What it refuses by itself has no body yet.
    set_error_handler([](const httplib::Request&, httplib::Response& response) {
      if (response.body.empty()) refuse(response, {response.status, "the request can't be read as HTTP/1.1"});
    });
    set_exception_handler(
        [this](const httplib::Request&, httplib::Response& response, const std::exception_ptr& thrown) {
          log_->error("request given up", {{"reason", reason_of(thrown)}});
          refuse(response, {500, "internal error"});
        });
    set_post_routing_handler([&draining](const httplib::Request&, httplib::Response& response) {
      response.headers.erase("Keep-Alive"); // what it says there is not what the loop does
      if (draining && !response.has_header("Connection")) response.set_header("Connection", "close");
    });
  }

  void add(Route route) { routes_.push_back(std::move(route)); }

  std::string answer(Request& request, bool& close) {
    MemoryStream stream(request.head.text);
    bool closed = false;
    process_request(stream, request.remote, 0, "", 0, close, closed, [&](httplib::Request& http) {
      http.body = std::move(request.body);
      http.start_time_ = request.arrived;
      http.headers.erase("Accept-Encoding"); // else it would compress, which costs more than it saves
    });
    std::string message = stream.take();
    close = says_close(message);
    if (const int status = status_of(message); status >= 400) metrics_.request_refused(status);
    return message;
  }

private:
  void route(const httplib::Request& request, httplib::Response& response) const {
    const auto route = std::ranges::find(routes_, request.path, &Route::path);
    if (route == routes_.end())
      return refuse(response, {404, "there is nothing at " + fluxhook::in_quotes(request.path)});
    if (std::ranges::find(route->methods, request.method) != route->methods.end())
      return route->handler(request, response);
    response.set_header("Allow", joined(route->methods));
    refuse(response,
           {405, std::format("{} takes {}, not {}", request.path, joined(route->methods), request.method)});
  }

  /// Of "HTTP/1.1 200 OK…".
  static int status_of(std::string_view message) {
    return message.size() < 12 ? 500 : static_cast<int>(parse_integer(message.substr(9, 3)).value_or(500));
  }

  static bool says_close(std::string_view message) {
    return message.substr(0, message.find("\r\n\r\n") + 2).contains("\r\nConnection: close\r\n");
  }

  Metrics& metrics_;
  std::shared_ptr<const Log> log_;
  std::vector<Route> routes_;
};

namespace {

/// Answers reviews of one webhook.
class Review {
public:
  Review(admission::Webhook webhook, Reviewer reviewer, Metrics& metrics, std::shared_ptr<const Log> log)
      : webhook_(webhook), reviewer_(std::move(reviewer)), metrics_(metrics), log_(std::move(log)) {}

  void operator()(const httplib::Request& request, httplib::Response& response) const {
    if (request.get_header_value_count("Content-Type") != 1 ||
        !is_json(request.get_header_value("Content-Type")))
      return bad(request, response, {415, "Content-Type must be application/json"});
    if (request.body.empty())
      return bad(request, response, {400, "the request's body is empty: an AdmissionReview is expected"});
    // The request is cpp-httplib's own variable, const only for handlers: the body may serve as scratch.
    auto& body = const_cast<std::string&>(request.body);
    auto answer = reviewer_(body, webhook_);
    if (!answer)
      return bad(request, response, {400, "the AdmissionReview can't be read: " + answer.error().text()});
    const auto took = Clock::now() - request.start_time_;
    metrics_.review(webhook_, answer->operation, answer->verdict, took);
    log_->info("review", {{"uid", answer->uid},
                          {"name", answer->name},
                          {"operation", answer->operation},
                          {"webhook", to_string(webhook_)},
                          {"verdict", to_string(answer->verdict)},
                          {"ms", std::chrono::duration<double, std::milli>(took).count()}});
    response.set_content(std::move(answer->body), kJson);
  }

private:
  void bad(const httplib::Request& request, httplib::Response& response, const Refusal& refusal) const {
    log_->info("request refused", {{"remote", request.remote_addr},
                                   {"status", std::int64_t{refusal.status}},
                                   {"reason", refusal.message}});
    refuse(response, refusal);
  }

  admission::Webhook webhook_;
  Reviewer reviewer_;
  Metrics& metrics_;
  std::shared_ptr<const Log> log_;
};

} // namespace

Routes::Routes(Reviewer reviewer, Readiness readiness, const std::atomic<bool>& draining, Metrics& metrics,
               const std::shared_ptr<const Log>& log)
    : http_(std::make_unique<Http>(draining, metrics, log)) {
  using admission::Webhook;
  const auto alive = [](const httplib::Request&, httplib::Response& response) {
    response.set_content("ok\n", kText);
  };
  http_->add({"/mutate", {"POST"}, Review(Webhook::kMutate, reviewer, metrics, log)});
  http_->add({"/validate", {"POST"}, Review(Webhook::kValidate, std::move(reviewer), metrics, log)});
  http_->add({"/livez", {"GET", "HEAD"}, alive});
  http_->add({"/healthz", {"GET", "HEAD"}, alive});
  http_->add({"/readyz",
              {"GET", "HEAD"},
              [readiness = std::move(readiness), alive](const auto& request, auto& response) {
                if (const std::string why_not = readiness(); !why_not.empty())
                  return refuse(response, {503, "not ready: " + why_not});
                alive(request, response);
              }});
}

Routes::Routes(const std::atomic<bool>& draining, Metrics& metrics, std::shared_ptr<const Log> log)
    : http_(std::make_unique<Http>(draining, metrics, std::move(log))) {
  http_->add({"/metrics", {"GET", "HEAD"}, [&metrics](const auto&, auto& response) {
                response.set_content(metrics.text(), kMetricsText);
              }});
}

Routes::~Routes() = default;

std::string Routes::answer(Request& request, bool& close) { return http_->answer(request, close); }

} // namespace fluxhook::server
