#include <algorithm>
#include <chrono>
#include <cstddef>
#include <format>
#include <string>
#include <tuple>
#include <utility>

#include "cli/doctor_checks.h"
#include "fluxhook/base/z85.h"
#include "fluxhook/companion/objects.h"
#include "fluxhook/kube/time.h"

namespace fluxhook::cli {

namespace {

using nlohmann::json;
using std::chrono::seconds;

constexpr seconds kClocksDiffer{60}; ///< the leader's and this one's, at most

Finding judge_lease(const Patient& patient, const json& lease, const std::string& about) {
  const auto finding = [](Health health, std::string message, std::string advice) {
    return Finding{health, "controller", std::move(message), std::move(advice)};
  };
  const std::string logs =
      std::format("nobody creates a JobSet's ConfigMap and Secret: see the servers' logs; where they say "
                  "Unauthorized, the ServiceAccount was made anew: kubectl --namespace {} rollout restart "
                  "deployment/{}",
                  patient.name_space, patient.name);
  const auto renewed = kube::parse_time(text_at(lease, "/spec/renewTime"));
  if (!renewed) return finding(Health::kFail, about + " is not renewed by anybody", logs);
  const json lasts = at(lease, "/spec/leaseDurationSeconds");
  const seconds duration(lasts.is_number_integer() ? lasts.get<int>() : 0);
  const auto since = std::chrono::floor<seconds>(std::chrono::system_clock::now() - *renewed);
  const seconds age = std::max(seconds(0), since); // its clock may be ahead
  const std::string ago = std::format("{} s ago", age.count());
  if (age > duration + kClocksDiffer)
    return finding(Health::kFail, about + " is not renewed by anybody: the last time was " + ago, logs);
  const std::string holder = text_at(lease, "/spec/holderIdentity");
  if (holder.empty())
    return finding(Health::kWarn, about + " has no holder: the last one released it " + ago,
                   "usual for seconds during a rollout; if it stays so, see the servers' logs");
  if (age > duration)
    return finding(
        Health::kWarn,
        std::format("{} held {}, renewed it {}, and it lasts {} s: does nobody lead, or do clocks differ?",
                    holder, about, ago, duration.count()),
        logs);
  return finding(Health::kOk, holder + " leads: the Lease was renewed " + ago, {});
}

Finding judge_key(std::string& secret, const std::string& about) {
  constexpr std::size_t kNeeded = std::tuple_size_v<Key>;
  auto bytes = companion::take_master_key(secret);
  std::string what;
  if (!bytes) {
    what = about + " " + bytes.error().what;
  } else {
    const std::size_t size = bytes->size();
    companion::wipe(*bytes);
    if (size == kNeeded) return {Health::kOk, "key", about + " holds a master key", {}};
    what = std::format("{}: data.{} has {} bytes", about, companion::kMasterKeyEntry, size);
  }
  return {Health::kFail, "key", std::format("{}: a master key of {} bytes is needed there", what, kNeeded),
          "fluxhook never overwrites it: put your copy there, or delete the Secret to have a new key made"};
}

} // namespace

void check_lease(const Patient& patient, Findings& findings) {
  if (patient.name_space.empty()) return findings.push_back(unknown_place("controller"));
  if (patient.deployed.known && !patient.deployed.controller)
    return findings.push_back(
        {Health::kWarn, "controller", "it is switched off by --controller off",
         "somebody else has to create each JobSet's ConfigMap and Secret: fluxhook mutate --companions"});
  const auto text = patient.client.get(
      kube::path_of({"coordination.k8s.io", "v1", "leases"}, patient.name_space, patient.name));
  const std::string about = "Lease " + patient.name_space + "/" + patient.name;
  if (!text && text.error().kind == kube::ErrorKind::kNotFound)
    return findings.push_back(
        {Health::kWarn, "controller", about + " is not there: no controller has ever run",
         "without one (--controller off) nobody creates a JobSet's ConfigMap and Secret"});
  if (!text) return findings.push_back(unreadable("controller", about, text.error()));
  findings.push_back(judge_lease(patient, json::parse(*text, nullptr, false), about));
}

void check_key(const Patient& patient, Findings& findings) {
  const auto skip = [&](const std::string& why) { findings.push_back({Health::kSkip, "key", why, {}}); };
  if (patient.name_space.empty()) return findings.push_back(unknown_place("key"));
  if (!patient.deployed.known)
    return skip("the Deployment's arguments can't be read: the master key's Secret is not known");
  if (!patient.deployed.controller) return skip("no master key is needed with --controller off");
  const std::string& name = patient.deployed.key_secret;
  if (name.empty()) return skip("no Secret holds the master key, with --curve-key or --curve-derivation");
  const std::string about = "Secret " + patient.name_space + "/" + name;
  auto text = patient.client.get(kube::path_of({"", "v1", "secrets"}, patient.name_space, name));
  if (text) return findings.push_back(judge_key(*text, about));
  if (text.error().kind != kube::ErrorKind::kNotFound)
    return findings.push_back(unreadable("key", about + ", the master key,", text.error()));
  findings.push_back(
      {Health::kWarn, "key",
       about + " is missing: the leader works from memory, and makes a new master key at its next start",
       "restore the Secret from your copy before that"});
}

} // namespace fluxhook::cli
