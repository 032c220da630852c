#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fluxhook/base/result.h"

namespace fluxhook::kube {

/// What went wrong, as far as callers have to tell it apart.
enum class ErrorKind : std::uint8_t {
  kStopped,         ///< the caller's stop token
  kUnreachable,     ///< no connection, or it broke, or no answer in time
  kTls,             ///< the handshake, or the server's certificate
  kCredentials,     ///< none could be got: token file, exec plugin
  kMalformed,       ///< an answer that is none of an API server, or too large
  kUnauthorized,    ///< 401: who is this?
  kForbidden,       ///< 403: RBAC
  kNotFound,        ///< 404: no such object
  kNoResource,      ///< 404: no such kind: a CustomResourceDefinition that isn't installed
  kAlreadyExists,   ///< 409 at a create
  kConflict,        ///< 409: a precondition, or another version is there
  kGone,            ///< 410: a resourceVersion or continue token that is too old
  kInvalid,         ///< 422: causes say which fields
  kTooManyRequests, ///< 429
  kServer,          ///< 5xx
  kRefused,         ///< any other refusal: 400, 405, 415, a redirect …
};

/// "not found", "forbidden" …, for messages and metrics.
[[nodiscard]] std::string_view to_string(ErrorKind kind);

/// A field that the API server complains about (metav1.StatusCause).
struct Cause {
  std::string reason; ///< FieldValueInvalid …
  std::string field;
  std::string message;
};

/// Why a request has no result. From a Kubernetes Status where there is one.
struct ApiError {
  ErrorKind kind = ErrorKind::kUnreachable;
  std::string where;   ///< "GET https://10.0.0.1:443/api/v1/…"
  std::string message; ///< one line
  int code = 0;        ///< HTTP status; 0: no answer
  std::string reason;  ///< of the Status: "NotFound", "Forbidden", "Expired" …; may be empty
  std::vector<Cause> causes;
  /// Header Retry-After, or details.retryAfterSeconds; an hour at most.
  std::optional<std::chrono::seconds> retry_after;

  /// "where: message", for people.
  [[nodiscard]] std::string text() const { return where.empty() ? message : where + ": " + message; }
  /// The same for callers that know no cluster.
  [[nodiscard]] Error error() const { return {where, message}; }
};

/// A value, or why a request has none.
template <class T>
using ApiResult = std::expected<T, ApiError>;

} // namespace fluxhook::kube
