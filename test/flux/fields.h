#pragma once

#include <string>
#include <vector>

namespace fluxhook::flux {

// Field paths as the API server writes them, for what the rules' findings are held to.

using Lines = std::vector<std::string>;

inline const std::string kJob = "spec.replicatedJobs[0].template.spec";
inline const std::string kPod = kJob + ".template.spec";
inline const std::string kContainer = kPod + ".containers[0]";

inline std::string setting(const std::string& name) {
  return "metadata.annotations[flux-framework.org/" + name + "]";
}

} // namespace fluxhook::flux
