#pragma once

#include "fluxhook/kube/object.h"

namespace fluxhook::companion {

// What the controller asks for.

inline const kube::Resource kJobSets{"jobset.x-k8s.io", "v1alpha2", "jobsets"};
inline const kube::Resource kConfigMaps{"", "v1", "configmaps"};
inline const kube::Resource kSecrets{"", "v1", "secrets"};

} // namespace fluxhook::companion
