#pragma once

#include <cstddef>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>

namespace fluxhook::flux {

// Where things stand, as JSON pointers (for patches) and as the API server's field paths (for findings).

inline std::string job_pointer(std::size_t job) {
  return "/spec/replicatedJobs/" + std::to_string(job) + "/template/spec";
}

inline std::string pod_pointer(std::size_t job) { return job_pointer(job) + "/template/spec"; }

inline std::string container_pointer(std::size_t job, std::size_t container) {
  return pod_pointer(job) + "/containers/" + std::to_string(container);
}

inline std::string replicated_job_field(std::size_t job) {
  return "spec.replicatedJobs[" + std::to_string(job) + "]";
}

inline std::string job_field(std::size_t job) { return replicated_job_field(job) + ".template.spec"; }

inline std::string pod_field(std::size_t job) { return job_field(job) + ".template.spec"; }

/// `<list>[<index>]`
inline std::string item(std::string list, std::size_t index) {
  return std::move(list.append("[").append(std::to_string(index)).append("]"));
}

inline std::string container_field(std::size_t job, std::size_t container) {
  return item(pod_field(job) + ".containers", container);
}

/// A mount path as the container runtime takes it: absolute, without `//`, `.`, `..` and a slash at the end.
inline std::string clean_path(std::string_view path) {
  std::string out;
  for (const auto range : std::views::split(path, '/')) {
    const std::string_view part(range);
    if (part == "..") out.resize(out.empty() ? 0 : out.rfind('/'));
    else if (!part.empty() && part != ".") out.append("/").append(part);
  }
  return out.empty() ? "/" : out;
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
