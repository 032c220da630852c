#include "fluxhook/companion/assess.h"

namespace fluxhook::companion {

namespace {

// What JobSet's own controller is called in spec.managedBy (jobset api/jobset/v1alpha2:
// JobSetControllerName).
constexpr std::string_view kJobSetController = "jobset.sigs.k8s.io/jobset-controller";

} // namespace

Need need_of(const k8s::JobSet& jobset) {
  if (jobset.deleting) return Need::kDeleting;
  if (jobset.annotation(flux::kInjectedAnnotation).empty()) return Need::kNotInjected;
  if (!jobset.managed_by.empty() && jobset.managed_by != kJobSetController) return Need::kForeign;
  if (!jobset.terminal_state.empty()) return Need::kFinished;
  return jobset.suspend.value_or(false) ? Need::kSuspended : Need::kNeeded;
}

Result<Companions> companions_of(const k8s::JobSet& jobset, const CurveSource& curve,
                                 const std::string& cluster_domain) {
  const auto instance = flux::recall_instance(jobset);
  if (!instance) return std::unexpected(instance.error());
  return make_companions({.name = jobset.name,
                          .name_space = jobset.name_space,
                          .subdomain = jobset.network.subdomain,
                          .uid = jobset.uid,
                          .settings = instance->settings,
                          .members = instance->members},
                         curve, cluster_domain);
}

} // namespace fluxhook::companion
