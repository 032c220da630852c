#include "kube/lease_object.h"

#include "kube/json.h"

namespace fluxhook::kube {

namespace {

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
                   std::chrono::seconds(integer_of(*spec, "leaseDurationSeconds").value_or(0)),
                   text_of(*spec, "acquireTime"), text_of(*spec, "renewTime"),
                   integer_of(*spec, "leaseTransitions").value_or(0)};
  return stored;
}

std::string new_lease(const ElectionOptions& options, const LeaseRecord& record) {
  json lease{{"apiVersion", "coordination.k8s.io/v1"},
             {"kind", "Lease"},
             {"metadata", {{"name", options.name}, {"namespace", options.namespace_}}}};
  write(lease, record);
  return to_text(lease);
}

std::string with_record(const StoredLease& stored, const LeaseRecord& record) {
  json lease = parse_json(stored.json);
  write(lease, record);
  return to_text(lease);
}

} // namespace fluxhook::kube
