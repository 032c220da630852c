#include "companion/fault.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace fluxhook::companion {

namespace {

using namespace std::string_view_literals;

/// The words are those of k8s.io/apiserver and of the admission plugins; a Status has nothing better.
Fault fault_of_forbidden(const kube::ApiError& error) {
  const std::string_view message = error.message;
  if (std::ranges::contains(error.causes, "NamespaceTerminating"sv, &kube::Cause::reason))
    return Fault::kTerminating;
  if (message.contains("exceeded quota")) return Fault::kQuota;
  // "secrets is forbidden: User "x" cannot create resource "secrets" in API group …"
  if (message.contains("cannot ") && message.contains(" resource ")) return Fault::kForbidden;
  return Fault::kDenied;
}

} // namespace

std::string_view to_string(Fault fault) {
  static constexpr std::array kNames{"none"sv,
                                     "unreachable"sv,
                                     "server-error"sv,
                                     "throttled"sv,
                                     "unauthorized"sv,
                                     "forbidden"sv,
                                     "quota"sv,
                                     "denied"sv,
                                     "invalid"sv,
                                     "terminating"sv,
                                     "conflict"sv,
                                     "no-resource"sv,
                                     "refused"sv,
                                     "unreadable"sv,
                                     "foreign-configmap"sv,
                                     "secret-in-the-way"sv,
                                     "no-master-key"sv};
  return kNames.at(std::to_underlying(fault));
}

Fault fault_of(const kube::ApiError& error) {
  using kube::ErrorKind;
  // A webhook may choose any code for its denial.
  if (error.message.contains("admission webhook") && error.message.contains("denied the request"))
    return Fault::kDenied;
  switch (error.kind) {
  case ErrorKind::kStopped:
  case ErrorKind::kUnreachable:
  case ErrorKind::kTls:
  case ErrorKind::kCredentials: return Fault::kUnreachable;
  case ErrorKind::kMalformed:
  case ErrorKind::kServer: return Fault::kServer;
  case ErrorKind::kUnauthorized: return Fault::kUnauthorized;
  case ErrorKind::kForbidden: return fault_of_forbidden(error);
  case ErrorKind::kNotFound: return Fault::kTerminating; // of a create: its namespace
  case ErrorKind::kNoResource: return Fault::kNoResource;
  case ErrorKind::kAlreadyExists:
  case ErrorKind::kConflict:
  case ErrorKind::kGone: return Fault::kConflict;
  case ErrorKind::kInvalid: return Fault::kInvalid;
  case ErrorKind::kTooManyRequests: return Fault::kThrottled;
  case ErrorKind::kRefused: return Fault::kRefused;
  }
  return Fault::kRefused;
}

bool is_everybodys(Fault fault) {
  switch (fault) {
  case Fault::kUnreachable:
  case Fault::kServer:
  case Fault::kThrottled:
  case Fault::kUnauthorized:
  case Fault::kForbidden:
  case Fault::kNoMasterKey:
  case Fault::kNoResource: return true;
  default: return false;
  }
}

std::string_view event_reason(Fault fault) {
  switch (fault) {
  case Fault::kQuota: return "QuotaExceeded";
  case Fault::kDenied: return "CompanionDenied";
  case Fault::kInvalid: return "CompanionInvalid";
  case Fault::kRefused: return "CompanionRefused";
  case Fault::kUnreadable: return "MalformedInjection";
  case Fault::kForeignMap: return "ConfigMapNameTaken";
  case Fault::kSecretInTheWay: return "SecretNameTaken";
  case Fault::kNoMasterKey: return "NoMasterKey";
  default: return {};
  }
}

std::chrono::milliseconds delay_of(Fault fault, unsigned tries, double chance,
                                   std::optional<std::chrono::seconds> retry_after) {
  constexpr double kMost = 300'000;
  const bool rare = fault == Fault::kUnreadable || fault == Fault::kForeignMap;
  const double full =
      rare ? kMost : std::min(kMost, std::ldexp(1000.0, static_cast<int>(std::min(tries, 20U))));
  const auto time = std::chrono::milliseconds(std::llround(full * (1 - std::clamp(chance, 0.0, 1.0) / 2)));
  return retry_after ? std::max<std::chrono::milliseconds>(time, *retry_after) : time;
}

} // namespace fluxhook::companion
