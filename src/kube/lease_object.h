#pragma once

#include <string>
#include <string_view>

#include "fluxhook/base/result.h"
#include "fluxhook/kube/lease.h"

namespace fluxhook::kube {

/// A Lease as it is stored.
struct StoredLease {
  LeaseRecord record;
  std::string json; ///< all of it, its resourceVersion included
};

/// Error: no Lease.
[[nodiscard]] Result<StoredLease> read_lease(std::string_view json);

/// A new Lease with this record.
[[nodiscard]] std::string new_lease(const ElectionOptions& options, const LeaseRecord& record);

/// The stored Lease with another record; what else it has, stays.
[[nodiscard]] std::string with_record(const StoredLease& lease, const LeaseRecord& record);

} // namespace fluxhook::kube
