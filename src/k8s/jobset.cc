#include "fluxhook/k8s/jobset.h"

#include <algorithm>

namespace fluxhook::k8s {

const std::string_view* StringMap::find(std::string_view key) const {
  const auto found = std::ranges::find(entries, key, [](const auto& entry) { return entry.first; });
  return found == entries.end() ? nullptr : &found->second;
}

std::string_view StringMap::get(std::string_view key) const {
  const std::string_view* value = find(key);
  return value == nullptr ? std::string_view{} : *value;
}

std::int64_t ReplicatedJob::pods() const { return job.completions.value_or(job.parallelism.value_or(1)); }

std::string_view JobSet::label(std::string_view key) const {
  return labels ? labels->get(key) : std::string_view{};
}

std::string_view JobSet::annotation(std::string_view key) const {
  return annotations ? annotations->get(key) : std::string_view{};
}

} // namespace fluxhook::k8s
