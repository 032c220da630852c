#pragma once

#include "fluxhook/k8s/jobset.h"
#include "json.h"

namespace fluxhook::admission {

/// The slice of a JobSet that fluxhook reads. It borrows from `object`. What has the wrong type reads as
/// absent and is noted in `type_errors`; null reads as absent, as the API server has it, but
/// not as an item of a list.
[[nodiscard]] k8s::JobSet decode_jobset(const Json& object);

} // namespace fluxhook::admission
