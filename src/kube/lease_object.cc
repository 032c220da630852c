#include "kube/lease_object.h"

#include <algorithm>
#include <limits>

#include "kube/asked_time.h"
#include "kube/json.h"

namespace fluxhook::kube {

namespace {

/// Within what the API takes, an int32, also with one more.
std::int64_t transitions_of(const json& spec) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max() - 1;
  return std::clamp<std::int64_t>(integer_of(spec, "leaseTransitions").value_or(0), 0, kMost);
}

void write(json& lease, const LeaseRecord& record) {
  json& spec = lease["spec"];
  if (!spec.is_object()) spec = json::object();
  if (record.holder.empty()) spec["holderIdentity"] = ""; // as client-go releases it
  else spec["holderIdentity"] = record.holder;
  spec["leaseDurationSeconds"] = record.duration.count();
  spec["acquireTime"] = record.acquire_time;
  spec["renewTime"] = record.renew_time;
  spec["leaseTransitions"] = record.transitions;
}

} // namespace

Result<StoredLease> read_lease(std::string_view text) {
  const json lease = parse_json(text);
  if (text_of(lease, "kind") != "Lease") return fail("", "the answer is no Lease");
  StoredLease stored{.json = std::string(text)};
  const json* const spec = member(lease, "spec");
  if (spec == nullptr) return stored; // somebody made an empty one
  stored.record = {text_of(*spec, "holderIdentity"),
                   asked_time(integer_of(*spec, "leaseDurationSeconds").value_or(0), kLongestLease),
                   text_of(*spec, "acquireTime"), text_of(*spec, "renewTime"), transitions_of(*spec)};
  return stored;
}

std::string new_lease(const ElectionOptions& options, const LeaseRecord& record) {
  json lease{{"apiVersion", "coordination.k8s.io/v1"},
             {"kind", "Lease"},
             {"metadata", {{"name", options.name}, {"namespace", options.name_space}}}};
  write(lease, record);
  return to_text(lease);
}

std::string with_record(const StoredLease& stored, const LeaseRecord& record) {
  json lease = parse_json(stored.json);
  write(lease, record);
  return to_text(lease);
}

} // namespace fluxhook::kube
