#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fluxhook/base/result.h"
#include "fluxhook/certs/issue.h"

namespace fluxhook::certs {

/// What a Secret of a self-managed certificate holds.
struct Record {
  std::string authorities; ///< ca.crt: the CA's certificate first, then those before it that may still count
  KeyText authority_key;   ///< ca.key: of the first of them
  Pair serving;            ///< tls.crt, tls.key

  bool operator==(const Record&) const = default;
};

/// What is to be made anew.
enum class Step : std::uint8_t {
  kNothing,
  kLeaf,      ///< a new serving certificate of the same CA
  kAuthority, ///< a new CA and a serving certificate of it
};

/// What decide() says.
struct Decision {
  Step step = Step::kNothing;
  std::string reason;  ///< of a step, for a log
  bool broken = false; ///< the record could not be used as it was, which should not happen
};

/// What has to be done about a record at `now`. Everything is renewed when two thirds of its life are over,
/// when it is not valid yet, and when it can't be used; the serving certificate also when its names are not
/// `names`. Pure; nothing but the record and the wall clock counts, so that all replicas decide alike, and a
/// machine that was suspended as well.
[[nodiscard]] Decision decide(const Record& record, const std::vector<std::string>& names, Time now);

/// The record after a step (not kNothing). A new CA comes before the earlier ones that may still have signed
/// what somebody serves. Error: OpenSSL won't; a name that can stand in no certificate.
[[nodiscard]] Result<Record> renew(const Record& record, Step step, const std::vector<std::string>& names,
                                   Time now);

/// The CA certificates, PEM, that callers have to trust at `now`: the record's CA, and each one before it
/// until the last certificate that it can have signed is over: a year, and clocks differ. Something else that
/// can be read is left out; "" when nothing is left.
[[nodiscard]] std::string trusted(const Record& record, Time now);

/// The names that an API server, or a person in the cluster, calls a Service by.
[[nodiscard]] std::vector<std::string> service_names(const std::string& name, const std::string& name_space,
                                                     const std::string& cluster_domain);

} // namespace fluxhook::certs
