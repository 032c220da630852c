#include "kube/connection.h"

#include <httplib.h>
#include <netinet/tcp.h>
#include <openssl/err.h>

#include <format>

#include "fluxhook/base/text.h"
#include "kube/addresses.h"
#include "kube/asked_time.h"
#include "kube/server_url.h"
#include "kube/stopper.h"
#include "kube/tls_setup.h"

namespace fluxhook::kube {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::size_t kMostOfRefusal = 64U << 10U; ///< bytes of a body other than 2xx that are read

void set_option(int socket, int level, int option, int value) {
  ::setsockopt(socket, level, option, &value, sizeof value);
}

/// A peer that is gone without a word is noticed after half a minute, also by a watch that hears nothing for
/// minutes (client-go: HTTP/2 pings, with the same 30 s).
void find_dead_peers(int socket) {
  set_option(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(socket, IPPROTO_TCP, TCP_KEEPIDLE, 15);
  set_option(socket, IPPROTO_TCP, TCP_KEEPINTVL, 5);
  set_option(socket, IPPROTO_TCP, TCP_KEEPCNT, 3);
  set_option(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, 30'000);
}

std::string openssl_reason(std::uint64_t code) {
  const char* const reason = ERR_reason_error_string(static_cast<unsigned long>(code));
  return reason == nullptr ? "the peer ended it" : reason;
}

} // namespace

struct Connection::Impl {
  ServerUrl url;
  std::string agent, server_name;
  milliseconds connect{};
  std::unique_ptr<httplib::ClientImpl> client;
  Stopper stopper;
  std::string certificate_fault;

  [[nodiscard]] Result<void> make_tls_client(const Config& config, const Identity& identity);
  [[nodiscard]] httplib::Request request(const Exchange& exchange, const std::string& authorization) const;
  [[nodiscard]] httplib::Result send(const httplib::Request& request, const std::stop_token& stop) const;
  [[nodiscard]] ApiError fault(const httplib::Result& result, const Exchange& exchange) const;
};

namespace {

/// Bytes of an answer go here.
struct Sink {
  const Receiver& receiver;
  milliseconds total;
  steady_clock::time_point start = steady_clock::now();
  Reply reply;
  bool late = false, refused = false;

  bool head(const httplib::Response& response) {
    reply.status = response.status;
    return true;
  }
  bool body(std::string_view bytes) {
    if (total.count() != 0 && steady_clock::now() - start > total) late = true;
    else if (reply.status / 100 == 2) refused = !receiver(bytes);
    else reply.body += bytes.substr(0, kMostOfRefusal - std::min(kMostOfRefusal, reply.body.size()));
    return !late && !refused;
  }
};

} // namespace

Connection::Connection(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Connection::~Connection() {
  const NoBrokenPipe guard; // OpenSSL says good-bye, perhaps to nobody
  impl_.reset();
}

Result<void> Connection::Impl::make_tls_client(const Config& config, const Identity& identity) {
  server_name = config.tls_server_name.empty() ? url.host : config.tls_server_name;
  auto tls = std::make_unique<httplib::SSLClient>(server_name, url.port);
  auto* const context = static_cast<SSL_CTX*>(tls->tls_context());
  if (context == nullptr) return fail(config.origin, "OpenSSL gives no TLS context");
  if (!identity.certificate.text.empty())
    if (auto used = use_client_pair(context, identity.certificate, identity.key); !used) return used;
  if (!config.ca.text.empty()) tls->load_ca_cert_store(config.ca.text.data(), config.ca.text.size());
  trust_like_go(context);
  tls->enable_server_certificate_verification(!config.insecure_skip_tls_verify);
  if (!config.insecure_skip_tls_verify)
    tls->set_session_verifier([this, hint = config.ca_hint](httplib::tls::session_t session) {
      certificate_fault = kube::certificate_fault(static_cast<SSL*>(session), server_name, hint);
      return certificate_fault.empty() ? httplib::SSLVerifierResponse::CertificateAccepted
                                       : httplib::SSLVerifierResponse::CertificateRejected;
    });
  client = std::move(tls);
  return {};
}

Result<std::unique_ptr<Connection>> Connection::open(const Config& config, const Identity& identity,
                                                     std::string agent, milliseconds connect) {
  auto url = parse_server_url(config.server);
  if (!url) return fail(config.origin, url.error().what);
  auto impl = std::make_unique<Impl>();
  impl->url = *url;
  impl->agent = std::move(agent);
  impl->connect = connect;
  if (!url->tls) impl->client = std::make_unique<httplib::ClientImpl>(url->host, url->port);
  else if (auto made = impl->make_tls_client(config, identity); !made) return std::unexpected(made.error());
  impl->client->set_keep_alive(true);
  impl->client->set_tcp_nodelay(true);
  impl->client->set_path_encode(false);
  impl->client->set_connection_timeout(connect);
  impl->client->set_write_timeout(connect);
  impl->client->set_socket_options([at = impl.get()](int socket) {
    find_dead_peers(socket);
    at->stopper.follow(socket);
  });
  return std::unique_ptr<Connection>(new Connection(std::move(impl)));
}

bool Connection::is_open() const { return impl_->client->is_socket_open() != 0; }

std::string Connection::where(const Exchange& exchange) const {
  return std::format("{} {}{}", exchange.method, impl_->url.text(),
                     exchange.path.substr(0, exchange.path.find('?')));
}

httplib::Request Connection::Impl::request(const Exchange& exchange, const std::string& authorization) const {
  httplib::Request request;
  request.method = exchange.method;
  request.path = url.path + exchange.path;
  request.headers = {{"Host", url.authority()},
                     {"User-Agent", agent},
                     {"Accept", exchange.accept},
                     {"Accept-Encoding", "identity"}, // inside a cluster bytes cost less than gzip
                     {"Expect", ""}}; // or cpp-httplib asks first whether 1 KiB is welcome: a round trip
  if (url.tls && !authorization.empty()) request.headers.emplace("Authorization", authorization);
  if (!exchange.body.empty()) request.headers.emplace("Content-Type", exchange.content_type);
  request.body = exchange.body;
  return request;
}

/// cpp-httplib is told the address, one after the other: it would look it up by the name that the certificate
/// is for, and with a request on its stack that a late answer of DNS overwrites (0.41,
/// getaddrinfo_with_timeout).
httplib::Result Connection::Impl::send(const httplib::Request& request, const std::stop_token& stop) const {
  if (client->is_socket_open() != 0) return client->send(request);
  httplib::Result result(nullptr, httplib::Error::Connection);
  for (const std::string& address : addresses_of(url.host, connect, stop)) {
    client->set_hostname_addr_map({{server_name.empty() ? url.host : server_name, address}});
    result = client->send(request);
    if (result.error() != httplib::Error::Connection) break;
  }
  return result;
}

ApiError Connection::Impl::fault(const httplib::Result& result, const Exchange& exchange) const {
  ApiError error{.kind = ErrorKind::kUnreachable};
  switch (result.error()) {
  case httplib::Error::SSLServerVerification:
    error.kind = ErrorKind::kTls;
    error.message = certificate_fault;
    break;
  case httplib::Error::SSLConnection:
  case httplib::Error::SSLLoadingCerts:
    error.kind = ErrorKind::kTls;
    error.message = std::format("the TLS handshake failed ({})", openssl_reason(result.ssl_backend_error()));
    break;
  case httplib::Error::Connection:
    error.message = "no connection: nobody listens there, or the name is unknown";
    break;
  case httplib::Error::ConnectionTimeout:
    error.message = std::format("no connection within {}", connect);
    break;
  default:
    error.message = std::format("the connection broke, or nothing came for {}",
                                std::chrono::duration_cast<std::chrono::seconds>(exchange.silence));
  }
  return error;
}

ApiResult<Reply> Connection::send(const Exchange& exchange, const std::string& authorization,
                                  const Receiver& receiver, const std::stop_token& stop) {
  const NoBrokenPipe guard;
  impl_->stopper.arm();
  const std::stop_callback on_stop(stop, [this] { impl_->stopper.stop(); });
  Sink sink{receiver, exchange.total};
  httplib::Request request = impl_->request(exchange, authorization);
  request.response_handler = [&](const httplib::Response& response) { return sink.head(response); };
  request.content_receiver = [&](const char* data, std::size_t size, std::size_t, std::size_t) {
    return sink.body({data, size});
  };
  impl_->client->set_read_timeout(exchange.silence);
  const httplib::Result result = impl_->send(request, stop);
  if (stop.stop_requested())
    return std::unexpected(ApiError{ErrorKind::kStopped, where(exchange), "stopped"});
  if (!result) {
    ApiError error = impl_->fault(result, exchange);
    error.where = where(exchange);
    if (sink.refused) error.kind = ErrorKind::kMalformed;
    if (sink.late) error.message = std::format("the answer took longer than {}", exchange.total);
    return std::unexpected(std::move(error));
  }
  sink.reply.status = result->status;
  sink.reply.location = result->get_header_value("Location");
  if (const auto seconds = parse_integer(result->get_header_value("Retry-After")); seconds && *seconds >= 0)
    sink.reply.retry_after = asked_time(*seconds, kLongestWait);
  return std::move(sink.reply);
}

} // namespace fluxhook::kube
