#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "cli/doctor_deployment.h"
#include "cli/doctor_report.h"
#include "fluxhook/kube/client.h"

namespace fluxhook::cli {

/// An installation that is looked at.
struct Patient {
  kube::Client& client;
  std::string name;       ///< of Service, webhook configurations and Lease
  std::string try_in;     ///< the namespace for JobSets that are tried
  std::string label;      ///< key
  std::string name_space; ///< of the Service; empty until it is known
  bool jobset_there = false;
  Deployed deployed = {};
  bool no_pod_ready = false; ///< false also where that is not known
};

// Each but check_rollout adds at least one finding. All but check_injection only read, and that one stores
// nothing.

void check_jobset(Patient& patient, Findings& findings);
/// Both configurations, and what is called before them. Learns where the Service is, and of the
/// Deployment there.
void check_configurations(Patient& patient, Findings& findings);
void check_certificate(const Patient& patient, Findings& findings);
/// Endpoints that are ready, and check_rollout. Learns whether there are none.
void check_pods(Patient& patient, Findings& findings);
/// A warning where the Deployment's rollout is not over, with what keeps its pods.
void check_rollout(const Patient& patient, Findings& findings);
/// A labelled JobSet becomes a Flux cluster, and another one stays as it is: by creating both as dry runs.
void check_injection(const Patient& patient, Findings& findings);
/// Whether somebody leads, by the age of the last renewal.
void check_lease(const Patient& patient, Findings& findings);
/// The Secret of the master key, if the server's arguments say that there is one.
void check_key(const Patient& patient, Findings& findings);
/// Whether the server's ServiceAccount may do what the server's arguments need.
void check_rights(const Patient& patient, Findings& findings);

/// The finding for something that can't be read: kSkip where rights are missing, else kFail.
[[nodiscard]] Finding unreadable(const std::string& check, const std::string& what,
                                 const kube::ApiError& error);

/// The finding where nothing says which namespace the server is in.
[[nodiscard]] Finding unknown_place(const std::string& check);

/// What a JSON pointer leads to; null where it leads nowhere.
[[nodiscard]] nlohmann::json at(const nlohmann::json& object, const char* pointer);
/// The string there; "" where there is none.
[[nodiscard]] std::string text_at(const nlohmann::json& object, const char* pointer);

} // namespace fluxhook::cli
