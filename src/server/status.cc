#include "server/status.h"

#include <algorithm>
#include <array>
#include <format>
#include <iterator>

#include <nlohmann/json.hpp>

namespace fluxhook::server {

namespace {

struct Code {
  int status;
  std::string_view phrase;
  std::string_view
      reason; ///< k8s.io/apimachinery, pkg/apis/meta/v1: StatusReason; else the phrase in one word
};

constexpr std::array kCodes{
    Code{400, "Bad Request", "BadRequest"},
    Code{401, "Unauthorized", "Unauthorized"},
    Code{403, "Forbidden", "Forbidden"},
    Code{404, "Not Found", "NotFound"},
    Code{405, "Method Not Allowed", "MethodNotAllowed"},
    Code{411, "Length Required", "LengthRequired"},
    Code{413, "Content Too Large", "RequestEntityTooLarge"},
    Code{414, "URI Too Long", "URITooLong"},
    Code{415, "Unsupported Media Type", "UnsupportedMediaType"},
    Code{417, "Expectation Failed", "ExpectationFailed"},
    Code{429, "Too Many Requests", "TooManyRequests"},
    Code{431, "Request Header Fields Too Large", "RequestHeaderFieldsTooLarge"},
    Code{500, "Internal Server Error", "InternalError"},
    Code{503, "Service Unavailable", "ServiceUnavailable"},
    Code{505, "HTTP Version Not Supported", "HTTPVersionNotSupported"},
};

const Code& code(int status) {
  static constexpr Code kOther{0, "Error", "Unknown"};
  const auto* const found = std::ranges::find(kCodes, status, &Code::status);
  return found == kCodes.end() ? kOther : *found;
}

} // namespace

std::string_view phrase(int status) { return code(status).phrase; }
std::string_view reason(int status) { return code(status).reason; }

std::vector<int> refusal_statuses() {
  std::vector<int> statuses;
  std::ranges::transform(kCodes, std::back_inserter(statuses), &Code::status);
  return statuses;
}

std::string json_string(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

std::string status_body(const Refusal& refusal) {
  return std::format(R"({{"kind":"Status","apiVersion":"v1","metadata":{{}},"status":"Failure",)"
                     R"("message":{},"reason":"{}","code":{}}})",
                     json_string(refusal.message), reason(refusal.status), refusal.status);
}

std::string refusal_answer(const Refusal& refusal, bool close) {
  const std::string body = status_body(refusal);
  return std::format("HTTP/1.1 {} {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n{}{}\r\n{}",
                     refusal.status, phrase(refusal.status), body.size(),
                     refusal.status == 429 ? "Retry-After: 1\r\n" : "", close ? "Connection: close\r\n" : "",
                     body);
}

} // namespace fluxhook::server
