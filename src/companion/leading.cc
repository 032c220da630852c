#include "companion/leading.h"

#include <format>
#include <random>
#include <vector>

#include "companion/master_key.h"
#include "companion/resources.h"
#include "fluxhook/admission/document.h"
#include "fluxhook/companion/assess.h"
#include "fluxhook/flux/render.h"
#include "fluxhook/kube/backoff.h"

namespace fluxhook::companion {

namespace {

using namespace std::chrono_literals;
using kube::Change;
using kube::Item;

std::string key_of(const Item& item) { return item.meta.name_space + "/" + item.meta.name; }

/// The ledger's key of a ConfigMap: its JobSet's; "" when the name is none of ours.
std::string jobset_key(const Item& item) {
  static const std::string suffix = flux::config_map_name("");
  const std::string& name = item.meta.name;
  if (!name.ends_with(suffix) || name.size() == suffix.size()) return {};
  return item.meta.name_space + "/" + name.substr(0, name.size() - suffix.size());
}

} // namespace

Leading::Leading(const ControllerOptions& options, Counters& counters, FaultLog& log)
    : options_(options), counters_(counters), log_(log), desk_(options.now, options.longest_wait, counters),
      reporter_(options, log), thread_([this](const std::stop_token& stop) { run(stop); }) {}

std::unique_ptr<kube::Client> Leading::open_client() const {
  // The ledger knows when to come back: no client sits out a Retry-After.
  auto client = kube::Client::open(options_.config, {.retries = 0, .sleep = options_.sleep});
  if (client) return std::move(*client);
  log_.fault("client", "no client of the API server", {{"error", client.error().text()}});
  return nullptr;
}

void Leading::run(const std::stop_token& stop) {
  std::vector<std::jthread> threads;
  const auto add = [&](void (Leading::*part)(const std::stop_token&)) {
    threads.emplace_back([this, part, &stop] { (this->*part)(stop); });
  };
  add(&Leading::follow_maps);
  add(&Leading::follow_jobsets);
  add(&Leading::send_events);
  if (!get_curve(stop)) return; // what waits for it is counted meanwhile
  for (unsigned i = 0; i < options_.workers; ++i)
    add(&Leading::work);
}

/// Waits until there is a key; false: stopped.
bool Leading::get_curve(const std::stop_token& stop) {
  if (options_.curve) {
    curve_ = *options_.curve;
    return true;
  }
  const auto client = open_client();
  while (client != nullptr && !stop.stop_requested()) {
    const auto curve = keep_master_key(*client, options_.name_space, options_.key_secret, stop);
    if (curve) {
      log_.over("key");
      curve_ = *curve;
      return true;
    }
    if (!stop.stop_requested()) {
      counters_.count(Fault::kNoMasterKey);
      log_.fault("key", "no companions without the master key", {{"error", curve.error().text()}},
                 Note::Level::kError);
      tell_waiting(curve.error().text());
    }
    if (!options_.sleep(15s, stop)) break;
  }
  return false;
}

/// Each JobSet that waits for the key gets one Event.
void Leading::tell_waiting(const std::string& why) {
  for (const Task& task : desk_.queued())
    if (!told_.contains(task.uid) && reporter_.report_no_key(task, why)) told_.insert(task.uid);
}

void Leading::follow(const kube::Resource& resource, const kube::FollowOptions& options,
                     kube::FollowHandler handler, const std::stop_token& stop) {
  const auto client = open_client();
  if (client == nullptr) return;
  const std::string key = "watch/" + resource.plural;
  handler.trouble = [this, &resource, &key](const kube::ApiError& error, std::chrono::milliseconds) {
    counters_.watch_fault();
    std::string what = std::format("{} can't be watched", resource.plural);
    if (error.kind == kube::ErrorKind::kNoResource)
      what = "JobSet is not installed in this cluster: waiting for its CustomResourceDefinition";
    if (error.kind == kube::ErrorKind::kUnauthorized)
      what += ": the token is not accepted. If its ServiceAccount was made anew, restart the pods";
    log_.fault(std::format("{}/{}", key, to_string(error.kind)), std::move(what), {{"error", error.text()}});
  };
  handler.synced = [this, &key, synced = std::move(handler.synced)] {
    log_.over(key);
    synced();
  };
  kube::follow(*client, kube::path_of(resource), options, handler, stop);
}

void Leading::follow_jobsets(const std::stop_token& stop) {
  const auto change = [this](Change what, const Item& item) {
    const std::string key = key_of(item);
    if (what == Change::kDeleted) return desk_.jobset_gone(key);
    const auto document = admission::JobSetDocument::parse(std::string(item.json));
    const bool needed = document && need_of(document->jobset()) == Need::kNeeded;
    desk_.jobset(key, item.meta.uid, needed, item.json);
  };
  follow(kJobSets, {.label_selector = options_.label + " in (enabled,true)"},
         {.change = change, .synced = [this] { desk_.jobsets_listed(); }}, stop);
}

void Leading::follow_maps(const std::stop_token& stop) {
  const auto change = [this](Change what, const Item& item) {
    const std::string key = jobset_key(item);
    if (key.empty()) return;
    if (what == Change::kDeleted) desk_.map_gone(key, item.meta.uid);
    else desk_.map(key, map_fact(item));
  };
  follow(kConfigMaps,
         {.label_selector = std::format("{}={}", kManagedByLabel, kManager), .metadata_only = true},
         {.change = change, .synced = [this] { desk_.maps_listed(); }}, stop);
}

void Leading::send_events(const std::stop_token& stop) {
  if (const auto client = open_client()) reporter_.send_events(*client, stop);
}

void Leading::work(const std::stop_token& stop) {
  const auto client = open_client();
  if (client == nullptr) return;
  std::minstd_rand random{std::random_device{}()};
  Maker maker(*client, curve_, options_.cluster_domain,
              [&] { return std::uniform_real_distribution<double>(0, 1)(random); });
  kube::Backoff pause(1s, 30s); // a server that is gone is not asked for each JobSet
  while (const auto task = desk_.take(stop)) {
    const Outcome outcome = maker.make(*task, desk_.now(), stop);
    if (outcome.stopped) return;
    desk_.finish(*task, outcome.ending);
    counters_.count(outcome);
    reporter_.report(*task, outcome);
    if (outcome.ending.fault != Fault::kUnreachable) pause.reset();
    else if (!options_.sleep(pause.next(), stop)) return;
  }
}

} // namespace fluxhook::companion
