#pragma once

#include <chrono>
#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "server/status.h"

namespace fluxhook::server {

/// What the connection needs to know of a request before cpp-httplib reads it: where it ends, above all. It
/// is stricter than HTTP/1.1 asks of a server, so that nobody in between can read a request's end
/// differently.
struct Head {
  std::string method;
  std::size_t size = 0;                      ///< bytes, the empty line included
  std::size_t content_length = 0;            ///< of the body that follows
  bool keep_alive = true;                    ///< the connection may be used again
  bool expects_continue = false;             ///< waits for "100 Continue" before it sends the body
  std::string text;                          ///< the head, without its Expect line: what cpp-httplib gets
  std::chrono::milliseconds timeout{10'000}; ///< ?timeout= of the target, else the API server's default

  [[nodiscard]] bool is_review() const { return method == "POST"; }
};

inline constexpr std::size_t kMaxHead = 16U << 10U; ///< bytes of a request's head
inline constexpr std::size_t kMaxLine = 8U << 10U;  ///< bytes of a line of it (cpp-httplib's limit)
inline constexpr std::size_t kMaxFields = 100;      ///< cpp-httplib's limit

/// Reads the head at the start of `input`. Nothing: more bytes are needed. Refusal: what is wrong, as early
/// as it shows: lines that don't end with CRLF, folded fields, Transfer-Encoding, Content-Encoding, Range,
/// not exactly one Content-Length where a body is due, a body of more than `max_body` bytes …
[[nodiscard]] std::expected<std::optional<Head>, Refusal> parse_head(std::string_view input,
                                                                     std::size_t max_body);

} // namespace fluxhook::server
