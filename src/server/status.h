#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fluxhook::server {

/// Why a request is not answered with what it asked for: an HTTP status ≥ 400 and a sentence for its sender.
struct Refusal {
  int status = 400;
  std::string message;
};

/// "Bad Request", and the word that Kubernetes uses as a Status's reason, "BadRequest".
[[nodiscard]] std::string_view phrase(int status);
[[nodiscard]] std::string_view reason(int status);

/// Every status that a request is refused with, in ascending order.
[[nodiscard]] std::vector<int> refusal_statuses();

/// `text` as a JSON string with its quotes; what is not UTF-8 becomes U+FFFD, what does not print is escaped.
[[nodiscard]] std::string json_string(std::string_view text);

/// The body of every refusal: a Kubernetes Status object (k8s.io/apimachinery, pkg/apis/meta/v1: Status).
[[nodiscard]] std::string status_body(const Refusal& refusal);

/// A whole HTTP/1.1 answer with that body, for what is refused before it is routed. `close`: says
/// `Connection: close`. A 429 says `Retry-After: 1`, which makes an API server's client try again.
[[nodiscard]] std::string refusal_answer(const Refusal& refusal, bool close);

} // namespace fluxhook::server
