#pragma once

#include <nlohmann/json.hpp>

namespace fluxhook::test {

// The forms in which clients send a manifest again to a JobSet that is `stored`, as recorded from a real API
// server: what webhooks then get as the incoming object.

/// kubectl apply: a merge patch, in which lists are replaced whole; policies and server fields stay.
nlohmann::json client_side_apply(const nlohmann::json& manifest, const nlohmann::json& stored);

/// kubectl apply --server-side: lists are merged by their keys, command and args are replaced, nothing
/// unowned goes.
nlohmann::json server_side_apply(const nlohmann::json& manifest, const nlohmann::json& stored);

/// kubectl replace: the manifest and nothing else.
nlohmann::json replace(const nlohmann::json& manifest, const nlohmann::json& stored);

/// A JobSet that the API server has stored: uid and the like.
nlohmann::json stored(nlohmann::json object);

} // namespace fluxhook::test
