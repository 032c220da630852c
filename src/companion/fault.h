#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fluxhook/kube/error.h"

namespace fluxhook::companion {

/// Why a JobSet's companions are not there yet; by what is to be done about it.
enum class Fault : std::uint8_t {
  kNone,
  kUnreachable,    ///< no answer of an API server: network, TLS, credentials
  kServer,         ///< 5xx, or an answer that is none
  kThrottled,      ///< 429
  kUnauthorized,   ///< 401
  kForbidden,      ///< 403: RBAC
  kQuota,          ///< 403: the namespace's ResourceQuota is used up
  kDenied,         ///< an admission plugin or webhook said no
  kInvalid,        ///< 422
  kTerminating,    ///< the namespace is going, or gone
  kConflict,       ///< 409: it changed meanwhile
  kNoResource,     ///< JobSet's CustomResourceDefinition is gone
  kRefused,        ///< any other refusal
  kUnreadable,     ///< the JobSet's annotation `injected` is malformed or forged
  kForeignMap,     ///< the ConfigMap's name is somebody else's
  kSecretInTheWay, ///< the Secret's name is taken, by whom can't be read
  kNoMasterKey ///< its Secret can't be read or made, or holds something else: nobody's companions are made
};

inline constexpr std::size_t kFaults = 17;

/// A word for metrics and logs: "quota", "foreign-configmap" …
[[nodiscard]] std::string_view to_string(Fault fault);

/// What an error of the API server is here. Not for kStopped, and not for kAlreadyExists.
[[nodiscard]] Fault fault_of(const kube::ApiError& error);

/// Whether it lies in the cluster or the server's rights, not in one JobSet: one line in the log for all.
[[nodiscard]] bool is_everybodys(Fault fault);

/// The reason of an Event for the JobSet's owner; "": they can't mend it, and it may be over soon.
[[nodiscard]] std::string_view event_reason(Fault fault);

/// How long to wait before the next try, after `tries` that failed before this one: 1 s, twice as long each
/// time up to 5 min, times `chance` from 0 to 1 that takes off up to a half. What only people can change
/// waits for the 5 min at once. Never less than the server asked for.
[[nodiscard]] std::chrono::milliseconds delay_of(Fault fault, unsigned tries, double chance,
                                                 std::optional<std::chrono::seconds> retry_after);

} // namespace fluxhook::companion
