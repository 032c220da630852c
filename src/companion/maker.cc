#include "companion/maker.h"

#include <algorithm>
#include <format>

#include <nlohmann/json.hpp>

#include "companion/resources.h"
#include "fluxhook/admission/document.h"
#include "fluxhook/companion/assess.h"

namespace fluxhook::companion {

using kube::ErrorKind;

namespace {

std::string text_at(const nlohmann::json& object, const nlohmann::json::json_pointer& pointer) {
  if (!object.contains(pointer)) return {};
  const auto& value = object[pointer];
  return value.is_string() ? value.get<std::string>() : std::string();
}

/// Whether a create that failed so may have been stored all the same.
bool may_be_stored(ErrorKind kind) {
  return kind == ErrorKind::kUnreachable || kind == ErrorKind::kServer || kind == ErrorKind::kMalformed;
}

} // namespace

MapFact map_fact(const kube::Item& item) {
  using Pointer = nlohmann::json::json_pointer;
  static const Pointer kLabel("/metadata/labels/app.kubernetes.io~1managed-by"),
      kUid("/metadata/annotations/flux-framework.org~1jobset-uid");
  const auto object = nlohmann::json::parse(item.json, nullptr, false);
  MapFact fact{.uid = item.meta.uid, .jobset = {}};
  if (object.is_object() && text_at(object, kLabel) == kManager) fact.jobset = text_at(object, kUid);
  return fact;
}

/// A task on its way.
struct Maker::Work {
  const Task& task;
  Time now;
  const std::stop_token& stop;
  Outcome outcome;
  Companions companions;
};

void Maker::fail(Work& work, Fault fault, std::string what, std::optional<std::chrono::seconds> retry_after) {
  work.outcome.ending.fault = fault;
  work.outcome.ending.secret_pending = false;
  work.outcome.ending.again = delay_of(fault, work.task.tries, chance_(), retry_after);
  work.outcome.note = what;
  work.outcome.what = std::move(what);
}

void Maker::fail(Work& work, const kube::ApiError& error) {
  work.outcome.stopped = error.kind == ErrorKind::kStopped;
  fail(work, fault_of(error), error.text(), error.retry_after);
  work.outcome.note = error.message;
}

Outcome Maker::make(const Task& task, Time now, const std::stop_token& stop) {
  Work work{.task = task, .now = now, .stop = stop, .outcome = {}, .companions = {}};
  work.outcome.ending.secret = task.secret;
  auto text = task.jobset.empty() ? client_.get(kube::path_of(kJobSets, task.name_space, task.name), stop)
                                  : kube::ApiResult<std::string>(task.jobset);
  if (!text && text.error().kind == ErrorKind::kNotFound) {
    work.outcome.ending.not_needed = true;
    return work.outcome;
  }
  if (!text) return fail(work, text.error()), work.outcome;
  const auto document = admission::JobSetDocument::parse(std::move(*text));
  if (!document) return fail(work, Fault::kServer, document.error().text()), work.outcome;
  const k8s::JobSet& jobset = document->jobset();
  if (jobset.uid != task.uid || need_of(jobset) != Need::kNeeded) {
    work.outcome.ending.not_needed = true; // the watch has yet to say so
    return work.outcome;
  }
  auto companions = companions_of(jobset, curve_, cluster_domain_);
  if (!companions) return fail(work, Fault::kUnreadable, companions.error().text()), work.outcome;
  work.companions = std::move(*companions);
  if (make_secret(work)) make_map(work);
  return std::move(work.outcome);
}

/// Whether the ConfigMap comes next.
bool Maker::make_secret(Work& work) {
  SecretState& secret = work.outcome.ending.secret;
  if (!work.companions.secret) return secret.settled = true; // it is the user's own
  std::string json = work.companions.secret->json();
  const auto created = client_.create(kube::path_of(kSecrets, work.task.name_space), json, {}, work.stop);
  wipe(json);
  if (created) {
    secret = {.refused = {}, .settled = true};
    ++work.outcome.secrets;
    return true;
  }
  if (created.error().kind == ErrorKind::kAlreadyExists) return secret.settled || refused_secret(work);
  if (may_be_stored(created.error().kind)) secret.settled = true;
  fail(work, created.error());
  return false;
}

/// The Secret's name is taken: by an earlier JobSet's, by our own of a process that ended between the two
/// creates, or by somebody else's. It can't be read, so time tells.
bool Maker::refused_secret(Work& work) {
  Ending& ending = work.outcome.ending;
  if (!ending.secret.refused) ending.secret.refused = work.now;
  const auto age = work.now - *ending.secret.refused;
  if (age >= kTrySecret) return ending.secret.settled = true;
  fail(work, Fault::kSecretInTheWay,
       std::format(
           "Secret {} exists already, and fluxhook may not read it. If pods report a certificate that is "
           "not this JobSet's, delete it and then ConfigMap {}: both are made anew",
           work.companions.secret_name, work.companions.config_map.name));
  if (age >= kWaitForSecret) return ending.secret_pending = true;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(kWaitForSecret - age);
  ending.again = std::min(ending.again.value_or(left), left);
  work.outcome.expected = true;
  return false;
}

/// The ConfigMap of the name; none: there is none, or `work` has failed.
std::optional<MapFact> Maker::find_map(Work& work) {
  std::optional<MapFact> fact;
  const kube::ListOptions options{.label_selector = {},
                                  .field_selector = "metadata.name=" + work.companions.config_map.name,
                                  .metadata_only = true};
  const auto listed = client_.list(
      kube::path_of(kConfigMaps, work.task.name_space), options,
      {.item = [&](const kube::Item& item) { fact = map_fact(item); }, .restart = [&] { fact.reset(); }},
      work.stop);
  if (listed && fact) return fact;
  if (!listed) fail(work, listed.error());
  else fail(work, Fault::kConflict, "ConfigMap " + work.companions.config_map.name + " came and went");
  return {};
}

/// Deletes an earlier JobSet's; true: it is gone.
bool Maker::remove_map(Work& work, const MapFact& earlier) {
  const std::string path = kube::path_of(kConfigMaps, work.task.name_space, work.companions.config_map.name);
  const auto removed = client_.remove(
      path, {.uid = earlier.uid, .resource_version = {}, .propagation = "Background"}, work.stop);
  if (removed || removed.error().kind == ErrorKind::kNotFound || removed.error().kind == ErrorKind::kConflict)
    return true;
  fail(work, removed.error());
  return false;
}

void Maker::make_map(Work& work) {
  Ending& ending = work.outcome.ending;
  const std::string json = work.companions.config_map.json();
  std::optional<MapFact> there;
  if (!work.task.map.uid.empty()) there = work.task.map;
  constexpr int kTries = 3; // create, and again after what was in the way was found and deleted
  for (int tries = 0; tries < kTries; ++tries) {
    if (there && there->jobset == work.task.uid) {
      ending.map = *there;
      return;
    }
    if (there && there->jobset.empty())
      return fail(
          work, Fault::kForeignMap,
          std::format("ConfigMap {} exists already and is not fluxhook's: it is left alone, and the pods "
                      "lack their scripts. Delete or rename it, or give the JobSet another name",
                      work.companions.config_map.name));
    if (there && !remove_map(work, *there)) return;
    const auto created =
        client_.create(kube::path_of(kConfigMaps, work.task.name_space), json, {}, work.stop);
    if (created) {
      ++work.outcome.config_maps;
      if (const auto meta = kube::read_meta(*created)) ending.map = {meta->uid, work.task.uid};
      return;
    }
    if (created.error().kind != ErrorKind::kAlreadyExists) return fail(work, created.error());
    there = find_map(work);
    if (!there) return;
  }
  fail(work, Fault::kConflict, "ConfigMap " + work.companions.config_map.name + " is made again by somebody");
}

} // namespace fluxhook::companion
