#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "fluxhook/admission/admission.h"

namespace fluxhook::test {

using nlohmann::json;

/// A minimal labelled JobSet: one replicatedJob `node` of two pods, one container.
json jobset();

/// jobset()'s first Job spec, pod spec and container, to change.
json& job_spec(json& jobset, std::size_t index = 0);
json& pod_spec(json& jobset, std::size_t index = 0);
json& container(json& jobset, std::size_t index = 0);

json create_review(const json& object);
json update_review(const json& object, const json& old);

/// What the webhook answers: its `response`. Fails the test when there is none.
json answer(const json& review, admission::Webhook webhook = admission::Webhook::kMutate,
            const flux::Defaults& defaults = {});

/// The patch in a response, decoded; [] when there is none.
json patch_of(const json& response);

/// `object` after the webhook's patch for its CREATE, by nlohmann's JSON Patch. Fails the test on a denial.
json mutated(const json& object, const flux::Defaults& defaults = {});
/// The same for an UPDATE from `old`.
json updated(const json& object, const json& old);

/// What JobSet's own mutating webhook adds at CREATE (kubernetes-sigs/jobset,
/// pkg/webhooks/jobset_webhook.go), and the empty metadata that the API server's typed round trip leaves.
json with_jobset_defaults(json object);

/// The `message` of a denial; fails the test when it is none.
std::string denial(const json& object);

} // namespace fluxhook::test
