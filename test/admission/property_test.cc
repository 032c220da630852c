#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_all.hpp>

#include "generate.h"
#include "reapply.h"
#include "reviews.h"

using namespace fluxhook;
using namespace fluxhook::test;

namespace {

constexpr std::uint32_t kSeeds = 300;
constexpr auto* kInjected = "flux-framework.org/injected";

json created(const json& manifest) { return stored(with_jobset_defaults(mutated(manifest))); }

// The path of a container's command or args.
bool is_words(std::string_view path) {
  return path.contains("/template/spec/containers/") &&
         (path.ends_with("/command") || path.ends_with("/args"));
}

// What admission by Kueue adds to every pod template, and what it takes away again.
json admitted(json object) {
  object["spec"]["suspend"] = false;
  for (auto& job : object["spec"]["replicatedJobs"]) {
    auto& pod = job["template"]["spec"]["template"];
    pod["metadata"]["labels"]["kueue.x-k8s.io/podset"] = job["name"];
    pod["metadata"]["annotations"]["kueue.x-k8s.io/workload"] = "jobset-js-1da83";
    pod["spec"]["nodeSelector"]["gpu-type"] = "h200";
    pod["spec"]["tolerations"].push_back({{"key", "spot"}, {"operator", "Exists"}, {"effect", "NoSchedule"}});
    pod["spec"]["schedulingGates"].push_back({{"name", "kueue.x-k8s.io/topology"}});
  }
  return object;
}

// `object` without the value at `place`: gone from its map or list, or null.
json without(const json& object, const json::json_pointer& place, bool null) {
  auto changed = object;
  if (null) {
    changed[place] = nullptr;
    return changed;
  }
  auto& parent = changed[place.parent_pointer()];
  if (parent.is_array()) parent.erase(std::stoul(place.back()));
  else parent.erase(place.back());
  return changed;
}

// The places of all values of `value`, and below: /a/b, /a/0 …
void collect_places(const json& value, json::json_pointer at, std::vector<json::json_pointer>& out) {
  if (!value.is_structured()) return;
  for (const auto& [key, below] : value.items()) {
    out.push_back(value.is_array() ? at / std::stoul(key) : at / key);
    collect_places(below, out.back(), out);
  }
}

// Whatever the webhook answers to `review`: a denial, or a patch after which it has nothing more to say.
void check_completed(const json& review) {
  const auto response = answer(review);
  if (response["allowed"] == false) return;
  auto again = review;
  auto& object = again["request"]["object"];
  try {
    object = object.patch(patch_of(response));
  } catch (const json::exception& fault) {
    FAIL(fault.what() << '\n' << review.dump() << '\n' << patch_of(response).dump());
  }
  const auto more = patch_of(answer(again));
  if (!more.empty()) FAIL(review.dump() << '\n' << patch_of(response).dump() << '\n' << more.dump());
}

} // namespace

TEST_CASE("mutating a mutated JobSet changes nothing", "[admission][property]") {
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
    const auto once = mutated(generate_jobset(seed));
    INFO("seed " << seed << " " << once.dump());
    CHECK(patch_of(answer(create_review(once))) == json::array());
    CHECK(patch_of(answer(create_review(with_jobset_defaults(once)))) == json::array());
  }
}

TEST_CASE("what was mutated passes the validating webhook, and what was not is denied there",
          "[admission][property]") {
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
    const auto manifest = generate_jobset(seed);
    INFO("seed " << seed << " " << manifest.dump());
    CHECK(answer(create_review(with_jobset_defaults(mutated(manifest))),
                 admission::Webhook::kValidate)["allowed"] == true);
    CHECK(answer(create_review(manifest), admission::Webhook::kValidate)["allowed"] == false);
  }
}

TEST_CASE("the same manifest applied again changes nothing, in each form that clients send it",
          "[admission][property]") {
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
    const auto manifest = generate_jobset(seed);
    const auto before = created(manifest);
    INFO("seed " << seed << "\nmanifest " << manifest.dump() << "\nstored " << before.dump());
    for (const auto form : {client_side_apply, server_side_apply, replace}) {
      const auto incoming = form(manifest, before);
      INFO("incoming " << incoming.dump());
      const auto after = updated(incoming, before);
      INFO("after " << after.dump());
      CHECK(after["spec"] == before["spec"]);
      CHECK(after["metadata"]["annotations"][kInjected] == before["metadata"]["annotations"][kInjected]);
    }
  }
}

TEST_CASE("the same manifest applied again to a JobSet that Kueue runs changes nothing",
          "[admission][property]") {
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
    auto manifest = generate_jobset(seed);
    manifest["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] = "lq";
    manifest["spec"].erase("suspend");
    auto queued = created(manifest);
    queued["spec"]["suspend"] = true;
    const auto running = admitted(queued);
    INFO("seed " << seed << "\nmanifest " << manifest.dump());
    CHECK(updated(running, queued) == running); // Kueue's own admission
    CHECK(updated(queued, running) == queued);  // and eviction
    for (const auto form : {client_side_apply, server_side_apply, replace}) {
      CHECK(updated(form(manifest, queued), queued)["spec"] == queued["spec"]);
      const auto incoming = form(manifest, running);
      const auto after = updated(incoming, running);
      INFO("running " << running.dump() << "\nincoming " << incoming.dump() << "\nafter " << after.dump());
      CHECK(after["spec"] == running["spec"]);
    }
  }
}

TEST_CASE("any part of what was mutated may be missing: a patch applies and is whole",
          "[admission][property]") {
  for (std::uint32_t seed = 0; seed < kSeeds / 60; ++seed) {
    const auto before = created(generate_jobset(seed));
    std::vector<json::json_pointer> places;
    collect_places(before, json::json_pointer(), places);
    for (const auto& place : places) {
      for (const bool null : {false, true}) {
        const auto incoming = without(before, place, null);
        check_completed(create_review(incoming));
        check_completed(update_review(incoming, before));
      }
    }
  }
}

TEST_CASE("a value of any type in any place is denied, or stays: no patch overwrites it",
          "[admission][property]") {
  const json values = {"x", 7, true, {7}, json::object({{"a", 7}})};
  for (std::uint32_t seed = 0; seed < kSeeds / 30; ++seed) {
    auto manifest = generate_jobset(seed);
    manifest["metadata"]["annotations"]["flux-framework.org/complete-on"] = "leader";
    const json::json_pointer job("/spec/replicatedJobs/0/template/spec"), pod = job / "template" / "spec";
    std::vector places = {job / "successPolicy",
                          pod / "affinity",
                          pod / "containers" / 0 / "securityContext",
                          json::json_pointer("/spec/successPolicy"),
                          json::json_pointer("/spec/startupPolicy"),
                          json::json_pointer("/spec/network")};
    collect_places(manifest, json::json_pointer(), places);
    for (const auto& place : places) {
      for (const auto& value : values) {
        auto object = manifest;
        object[place] = value;
        for (const auto& operation : patch_of(answer(create_review(object)))) {
          const json::json_pointer at(operation["path"].get<std::string>());
          INFO(object.dump() << '\n' << operation.dump());
          const bool adds_to_list = !at.empty() && at.back() == "-";
          CHECK((operation["op"] == "replace" || adds_to_list || !object.contains(at)));
        }
      }
    }
  }
}

TEST_CASE("a patch replaces no list but command and args, and nothing twice", "[admission][property]") {
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
    const auto manifest = generate_jobset(seed);
    const auto patch = patch_of(answer(create_review(manifest)));
    INFO("seed " << seed << " " << patch.dump());
    for (const auto& operation : patch) {
      const auto path = operation["path"].get<std::string>();
      if (operation["op"] == "replace") {
        CHECK(is_words(path));
      } else {
        CHECK(operation["op"] == "add");
        CHECK((path.ends_with("/-") || !manifest.contains(json::json_pointer(path))));
      }
    }
  }
}

TEST_CASE("the same review gives the same bytes", "[admission][property]") {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    const auto review = create_review(generate_jobset(seed)).dump();
    auto first = review;
    auto second = review;
    const auto one = admission::review(first, admission::Webhook::kMutate, {});
    const auto two = admission::review(second, admission::Webhook::kMutate, {});
    REQUIRE(one.has_value());
    REQUIRE(two.has_value());
    CHECK(one->body == two->body);
  }
}
