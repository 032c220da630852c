#include "kube/status.h"

#include <array>
#include <format>
#include <utility>

#include "fluxhook/base/text.h"
#include "kube/asked_time.h"
#include "kube/json.h"

namespace fluxhook::kube {

namespace {

ErrorKind kind_of(int code, std::string_view reason) {
  switch (code) {
  case 401: return ErrorKind::kUnauthorized;
  case 403: return ErrorKind::kForbidden;
  case 404: return ErrorKind::kNotFound;
  case 409: return reason == "AlreadyExists" ? ErrorKind::kAlreadyExists : ErrorKind::kConflict;
  case 410: return ErrorKind::kGone;
  case 422: return ErrorKind::kInvalid;
  case 429: return ErrorKind::kTooManyRequests;
  default: return code >= 500 ? ErrorKind::kServer : ErrorKind::kRefused;
  }
}

/// An ERROR event's code; 500 for what is none.
int http_code(std::int64_t code) { return code >= 100 && code < 600 ? static_cast<int>(code) : 500; }

/// Takes over what a Status says; false when `body` is none.
bool take_status(const json& body, ApiError& error) {
  if (text_of(body, "kind") != "Status") return false;
  error.message = one_line(text_of(body, "message"));
  error.reason = text_of(body, "reason");
  if (error.code == 0) error.code = http_code(integer_of(body, "code").value_or(0));
  const json* const details = member(body, "details");
  if (details == nullptr) return true;
  if (const auto seconds = integer_of(*details, "retryAfterSeconds"); seconds && *seconds > 0)
    error.retry_after = asked_time(*seconds, kLongestWait);
  const json* const causes = member(*details, "causes");
  if (causes == nullptr || !causes->is_array()) return true;
  for (const json& cause : *causes)
    error.causes.push_back(
        {text_of(cause, "reason"), text_of(cause, "field"), one_line(text_of(cause, "message"))});
  return true;
}

} // namespace

std::string_view to_string(ErrorKind kind) {
  static constexpr std::array<std::string_view, 16> kNames{
      "stopped",          "unreachable",       "TLS",          "credentials",
      "malformed answer", "unauthorized",      "forbidden",    "not found",
      "no such resource", "already exists",    "conflict",     "gone",
      "invalid",          "too many requests", "server error", "refused"};
  return kNames.at(std::to_underlying(kind));
}

std::string one_line(std::string_view text) {
  constexpr std::size_t kMost = 1024;
  std::string line;
  for (const char c : text.substr(0, kMost)) {
    const bool blank = static_cast<unsigned char>(c) <= 0x20 || c == 0x7F;
    if (!blank) line += c;
    else if (!line.empty() && line.back() != ' ') line += ' ';
  }
  line.resize(plain_utf8_length(line)); // also where it was cut within a character
  while (line.ends_with(' '))
    line.pop_back();
  return line;
}

ApiError read_status(std::string_view body, int code, std::string where) {
  ApiError error{.where = std::move(where), .code = code};
  const bool is_status = take_status(parse_json(body), error);
  if (error.code == 0) error.code = 500; // an ERROR event without a Status
  error.kind = kind_of(error.code, error.reason);
  if (is_status && !error.message.empty()) return error;
  const std::string_view first = body.substr(0, 200);
  if (error.kind == ErrorKind::kNotFound && body.starts_with("404 page not found")) {
    error.kind = ErrorKind::kNoResource;
    error.message = "the cluster has no such resource: is its CustomResourceDefinition installed?";
  } else if (is_status) {
    error.message = std::format("HTTP {}{}{}", error.code, error.reason.empty() ? "" : " ", error.reason);
  } else {
    error.message = std::format("HTTP {}, not from an API server", error.code);
    if (!body.empty()) error.message += ": " + fluxhook::in_quotes(one_line(first));
  }
  return error;
}

} // namespace fluxhook::kube
