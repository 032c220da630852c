#include "companion/fault.h"

#include <catch2/catch_test_macros.hpp>

namespace fluxhook::companion::test {

using kube::ApiError;
using kube::ErrorKind;
using namespace std::chrono_literals;

namespace {

Fault forbidden(std::string message, std::vector<kube::Cause> causes = {}) {
  return fault_of({.kind = ErrorKind::kForbidden,
                   .message = std::move(message),
                   .code = 403,
                   .causes = std::move(causes)});
}

} // namespace

TEST_CASE("refusals are told apart by the words of the API server", "[companion]") {
  // As kube-apiserver 1.34 words them.
  CHECK(
      forbidden(R"(secrets is forbidden: User "system:serviceaccount:flux:fluxhook" cannot create resource )"
                R"("secrets" in API group "" in the namespace "hpc")") == Fault::kForbidden);
  CHECK(
      forbidden(
          R"(secrets "js-flux-curve" is forbidden: exceeded quota: q, requested: secrets=1, used: secrets=5, )"
          R"(limited: secrets=5)") == Fault::kQuota);
  CHECK(
      forbidden(
          R"(secrets "js-flux-curve" is forbidden: unable to create new content in namespace hpc because it is )"
          "being terminated",
          {{"NamespaceTerminating", "metadata.namespace", "namespace hpc is being terminated"}}) ==
      Fault::kTerminating);
  const std::string denial = R"(admission webhook "policy.example.org" denied the request: no Secrets here)";
  CHECK(forbidden(denial) == Fault::kDenied);
  CHECK(fault_of({.kind = ErrorKind::kRefused, .message = denial, .code = 400}) == Fault::kDenied);
  CHECK(
      forbidden(
          R"(configmaps "a" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no)") ==
      Fault::kDenied);
}

TEST_CASE("an error is a fault by what can be done about it", "[companion]") {
  const std::vector<std::pair<ErrorKind, Fault>> table{{ErrorKind::kUnreachable, Fault::kUnreachable},
                                                       {ErrorKind::kTls, Fault::kUnreachable},
                                                       {ErrorKind::kCredentials, Fault::kUnreachable},
                                                       {ErrorKind::kMalformed, Fault::kServer},
                                                       {ErrorKind::kUnauthorized, Fault::kUnauthorized},
                                                       {ErrorKind::kNotFound, Fault::kTerminating},
                                                       {ErrorKind::kNoResource, Fault::kNoResource},
                                                       {ErrorKind::kConflict, Fault::kConflict},
                                                       {ErrorKind::kInvalid, Fault::kInvalid},
                                                       {ErrorKind::kTooManyRequests, Fault::kThrottled},
                                                       {ErrorKind::kServer, Fault::kServer},
                                                       {ErrorKind::kRefused, Fault::kRefused}};
  for (const auto& [kind, fault] : table)
    CHECK(to_string(fault_of({.kind = kind})) == to_string(fault));
}

TEST_CASE("who can mend a fault is told: a JobSet's owner by an Event, the cluster's by one line for all",
          "[companion]") {
  for (const Fault fault : {Fault::kQuota, Fault::kDenied, Fault::kInvalid, Fault::kUnreadable,
                            Fault::kForeignMap, Fault::kSecretInTheWay})
    CHECK((!event_reason(fault).empty() && !is_everybodys(fault)));
  for (const Fault fault : {Fault::kUnreachable, Fault::kServer, Fault::kThrottled, Fault::kForbidden})
    CHECK((event_reason(fault).empty() && is_everybodys(fault)));
  CHECK(event_reason(Fault::kTerminating).empty()); // an Event could not be made there either
}

TEST_CASE("the back-off goes from a second to five minutes, less up to a half by chance", "[companion]") {
  CHECK(delay_of(Fault::kServer, 0, 0, {}) == 1s);
  CHECK(delay_of(Fault::kServer, 3, 0, {}) == 8s);
  CHECK(delay_of(Fault::kServer, 3, 1, {}) == 4s);
  CHECK(delay_of(Fault::kServer, 9, 0, {}) == 300s);
  CHECK(delay_of(Fault::kServer, 4'000'000'000, 0, {}) == 300s);
  CHECK(delay_of(Fault::kForeignMap, 0, 0, {}) == 300s);
  CHECK(delay_of(Fault::kThrottled, 0, 0, 17s) == 17s);
  CHECK(delay_of(Fault::kThrottled, 9, 0, 17s) == 300s);
}

} // namespace fluxhook::companion::test
