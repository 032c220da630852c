// What an API server's answers say: pages of a list, events of a watch, a Status, a Lease, an object's
// metadata. Input: JSON, the body of an answer; of a watch several objects.
#include <nlohmann/json.hpp>

#include <map>
#include <random>

#include "fluxhook/base/text.h"
#include "fluxhook/kube/object.h"
#include "fluxhook/kube/time.h"
#include "fuzz.h"
#include "kube/answers.h"
#include "kube/known.h"
#include "kube/lease_object.h"
#include "kube/status.h"

namespace fluxhook::fuzz {
namespace {

using namespace kube;
using nlohmann::json;
using Texts = std::vector<std::string>;

constexpr std::size_t kMost = 4096;

/// What a reader handed over, and how it ended.
struct Reading {
  Texts objects;
  bool good = true;
  std::string end;

  bool operator==(const Reading&) const = default;
};

/// Feeds a text as a whole, or in pieces that its content chooses.
template <class Reader>
bool feed(Reader& reader, std::string_view text, bool in_pieces) {
  if (!in_pieces) return reader.feed(text).has_value();
  std::minstd_rand random(static_cast<std::uint32_t>(std::hash<std::string_view>()(text)) | 1U);
  while (!text.empty()) {
    const std::size_t size = std::min<std::size_t>(text.size(), 1 + random() % 40);
    if (!reader.feed(text.substr(0, size))) return false;
    text.remove_prefix(size);
  }
  return true;
}

Reading read_page(std::string_view text, bool in_pieces) {
  Reading reading;
  PageReader reader(kMost, [&](const Item& item) { reading.objects.emplace_back(item.json); });
  reading.good = feed(reader, text, in_pieces);
  const auto end = reader.end();
  if (reading.good) reading.end = end ? end->version + "|" + end->next : end.error().what;
  return reading;
}

Reading read_events(std::string_view text, bool in_pieces) {
  Reading reading;
  EventReader reader(kMost, [&](const WatchEvent& event) {
    reading.objects.push_back(std::to_string(static_cast<int>(event.type)) + std::string(event.item.json));
  });
  reading.good = feed(reader, text, in_pieces);
  if (reader.error()) reading.end = reader.error()->message;
  return reading;
}

/// A list as any JSON reader has it; none when the text is none that has to be read.
void check_page(const json& body) {
  if (!body.is_object() || !body.contains("items") || !body["items"].is_array() || !body.contains("metadata"))
    return;
  Texts items;
  for (const json& item : body["items"]) {
    if (!item.is_object() || !item.contains("metadata") || !item["metadata"].is_object()) return;
    items.push_back(item.dump());
    if (items.back().size() >= kMost) return;
  }
  json rest = body;
  rest["items"] = json::array();
  if (rest.dump().size() + items.size() > kMost) return;
  const Reading reading = read_page(body.dump(), true);
  require(reading.good && reading.objects == items, "all items of a list are handed over",
          [&] { return body.dump(); });
}

void check_members(const json& object) {
  if (!object.is_object()) return;
  const std::string text = object.dump();
  for (const auto& [key, value] : object.items()) {
    if (json(key).dump() != '"' + key + '"') continue; // one that has to be escaped
    const auto raw = raw_member(text, key);
    require(raw && *raw == value.dump(), "a member is found as it is written", text);
  }
  require(!raw_member(text, "no such member") || object.contains("no such member"),
          "what isn't there isn't found", text);
}

/// Whether `known` tells each change once: what is added was not there, what is deleted was.
void check_known(std::string_view text) {
  std::map<std::string, std::string> told; // uid, by name
  Known known([&](Change change, const Item& item) {
    const std::string name = item.meta.name_space + "/" + item.meta.name;
    const bool there = told.contains(name);
    require(there == (change != Change::kAdded), "an object is added once, and then changed or deleted",
            name);
    require(change != Change::kModified || told[name] == item.meta.uid, "another uid is another object",
            name);
    if (change == Change::kDeleted) told.erase(name);
    else told[name] = item.meta.uid;
  });
  known.begin_list();
  PageReader page(kMost, [&](const Item& item) { known.listed(item); });
  (void)page.feed(text);
  known.end_list();
  EventReader events(kMost, [&](const WatchEvent& event) { known.take(event); });
  (void)events.feed(text);
  require(known.size() == told.size(), "what is known has been told");
  known.begin_list();
  known.end_list();
  require(told.empty() && known.size() == 0, "an empty list takes all away");
}

void check_status(std::string_view text) {
  for (const int code : {0, 404, 409, 429, 503}) {
    const ApiError error = read_status(text, code, "GET x");
    require(!error.message.empty() && error.message.size() < kMost, "a refusal says something short",
            error.message);
    require(error.message.find_first_of("\n\r") == error.message.npos, "a refusal is one line",
            error.message);
    require(error.code >= 100 && error.code < 600 && (code == 0 || error.code == code),
            "a refusal has HTTP's code");
    const std::chrono::nanoseconds wait = error.retry_after.value_or(std::chrono::seconds(0));
    require(wait.count() >= 0, "a time to wait is one");
  }
}

void check_lease(std::string_view text) {
  const auto lease = read_lease(text);
  if (!lease) return;
  const auto now = std::chrono::steady_clock::time_point(std::chrono::hours(24));
  const LeaseStep step = decide(SeenLease{lease->record, now}, "me", now);
  require(step == LeaseStep::kRenew || lease->record.holder != "me", "our own lease is renewed");
  require(step != LeaseStep::kWait || lease->record.duration.count() > 0,
          "nobody waits for a lease that is over");
  LeaseRecord ours = lease->record;
  ours.holder = "me";
  ours.transitions /= 2;
  const auto again = read_lease(with_record(*lease, ours));
  require(again && again->record == ours, "a lease that is written reads as the same", text);
  (void)parse_time(lease->record.renew_time);
}

} // namespace
} // namespace fluxhook::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fluxhook::fuzz;
  const std::string text = text_of(data, size);
  require(read_page(text, false) == read_page(text, true), "a list is the same in pieces", text);
  require(read_events(text, false) == read_events(text, true), "a watch is the same in pieces", text);
  check_known(text);
  check_status(text);
  check_lease(text);
  (void)fluxhook::kube::parse_time(text);
  const json body = json::parse(text, nullptr, false);
  require(!fluxhook::kube::read_meta(text) || !body.is_discarded(), "only JSON has metadata", text);
  if (body.is_discarded()) return 0;
  check_page(body);
  check_members(body);
  return 0;
}
