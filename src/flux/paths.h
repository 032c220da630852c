#pragma once

#include <string>
#include <string_view>

#include "fluxhook/flux/resources.h"

namespace fluxhook::flux {

// Where things stand, as JSON pointers (for patches) and as the API server's field paths (for findings).

inline std::string job_pointer(std::size_t job) {
  return "/spec/replicatedJobs/" + std::to_string(job) + "/template/spec";
}

inline std::string pod_pointer(std::size_t job) { return job_pointer(job) + "/template/spec"; }

inline std::string container_pointer(std::size_t job, std::size_t container) {
  return pod_pointer(job) + "/containers/" + std::to_string(container);
}

inline std::string rj_field(std::size_t job) { return "spec.replicatedJobs[" + std::to_string(job) + "]"; }

inline std::string job_field(std::size_t job) { return rj_field(job) + ".template.spec"; }

inline std::string pod_field(std::size_t job) { return job_field(job) + ".template.spec"; }

/// `<list>[<index>]`
inline std::string item(std::string list, std::size_t index) {
  return std::move(list.append("[").append(std::to_string(index)).append("]"));
}

inline std::string container_field(std::size_t job, std::size_t container) {
  return item(pod_field(job) + ".containers", container);
}

/// A JSON pointer's token (RFC 6901): ~ and / escaped.
inline std::string token(std::string_view key) {
  std::string out;
  for (const char c : key) {
    if (c == '~') out += "~0";
    else if (c == '/') out += "~1";
    else out += c;
  }
  return out;
}

} // namespace fluxhook::flux
