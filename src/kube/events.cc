#include "fluxhook/kube/events.h"

#include <utility>

#include "fluxhook/base/text.h"
#include "fluxhook/kube/time.h"
#include "kube/json.h"

namespace fluxhook::kube {

namespace {

std::string event_of(const ObjectEvent& event, const EventsOptions& options) {
  // What the API takes (k8s.io/kubernetes, pkg/apis/core/validation/events.go).
  constexpr std::size_t kNote = 1024, kWord = 128;
  // The object's name, cut to what the API takes. A generateName that ends with a dot would be refused.
  const std::string base = std::string(cut(event.name, 200)) + "-";
  return to_text(
      {{"apiVersion", "events.k8s.io/v1"},
       {"kind", "Event"},
       {"metadata", {{"generateName", base}, {"namespace", event.name_space}}},
       {"eventTime", format_micro_time(options.time())},
       {"reportingController", options.controller},
       {"reportingInstance", cut(options.instance.empty() ? options.controller : options.instance, kWord)},
       {"action", cut(event.action, kWord)},
       {"reason", cut(event.reason, kWord)},
       {"note", cut(event.message, kNote)},
       {"type", "Warning"},
       {"regarding",
        {{"apiVersion", event.api_version},
         {"kind", event.kind},
         {"namespace", event.name_space},
         {"name", event.name},
         {"uid", event.uid}}}});
}

} // namespace

bool Events::was_sent(const std::string& key) {
  while (!sent_.empty() && options_.now() - sent_.back().at >= options_.quiet) {
    keys_.erase(sent_.back().key);
    sent_.pop_back();
  }
  return keys_.contains(key);
}

void Events::remember(const std::string& key) {
  sent_.push_front({key, options_.now()});
  keys_.insert(key);
  if (sent_.size() <= options_.remembered) return;
  keys_.erase(sent_.back().key);
  sent_.pop_back();
}

ApiResult<bool> Events::send(const ObjectEvent& event, const std::stop_token& stop) {
  const std::string key =
      event.uid + '\n' + event.name_space + '/' + event.name + '\n' + event.reason + '\n' + event.message;
  if (was_sent(key)) return false;
  const std::string path = path_of({"events.k8s.io", "v1", "events"}, event.name_space);
  auto created = client_.create(path, event_of(event, options_), {}, stop);
  if (!created) return std::unexpected(std::move(created.error()));
  remember(key);
  return true;
}

} // namespace fluxhook::kube
