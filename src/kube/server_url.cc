#include "kube/server_url.h"

#include "fluxhook/base/text.h"

namespace fluxhook::kube {

namespace {

/// HOST, [IPV6], each with or without a port.
bool parse_authority(std::string_view text, ServerUrl& url) {
  std::string_view host = text, port;
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == text.npos) return false;
    host = text.substr(1, end - 1);
    port = text.substr(end + 1);
    if (!host.contains(':') || (!port.empty() && !port.starts_with(':'))) return false;
  } else if (const std::size_t colon = text.find(':'); colon != text.npos) {
    host = text.substr(0, colon);
    port = text.substr(colon);
  }
  if (host.empty() || host.find_first_of("/@ \t%\"<>") != host.npos) return false;
  if (!port.empty()) {
    const auto number = parse_integer(port.substr(1));
    if (!number || *number < 1 || *number > 65535) return false;
    url.port = static_cast<std::uint16_t>(*number);
  }
  url.host = host;
  return true;
}

} // namespace

std::string ServerUrl::authority() const {
  return (host.contains(':') ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

std::string ServerUrl::text() const { return (tls ? "https://" : "http://") + authority() + path; }

Result<ServerUrl> parse_server_url(std::string_view text) {
  ServerUrl url;
  std::string_view rest = text;
  if (rest.starts_with("https://")) rest.remove_prefix(8);
  else if (rest.starts_with("http://")) {
    rest.remove_prefix(7);
    url.tls = false;
    url.port = 80;
  } else rest = {};
  const std::size_t end = rest.find_first_of("/?#");
  std::string_view path = end == rest.npos ? "" : rest.substr(end);
  path = path.substr(0, path.find_first_of("?#"));
  while (path.ends_with('/'))
    path.remove_suffix(1);
  url.path = path;
  if (!parse_authority(rest.substr(0, end), url))
    return fail("", fluxhook::in_quotes(text) + " is no server's URL: https://HOST:PORT is needed");
  return url;
}

} // namespace fluxhook::kube
