#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace fluxhook::companion::test {

using Json = nlohmann::json;

inline constexpr auto kUid = "11111111-2222-3333-4444-555555555555"; ///< that of test/flux/curve_test.cc

/// An injected JobSet of two pods, as an API server has it.
inline Json jobset(const std::string& name = "js", const std::string& uid = kUid) {
  return Json::parse(R"({"apiVersion":"jobset.x-k8s.io/v1alpha2","kind":"JobSet",
    "metadata":{"namespace":"hpc","resourceVersion":"1",
      "labels":{"flux-framework.org/inject":"true"},
      "annotations":{"flux-framework.org/injected":"{\"defaults\":{},\"set\":{},\"version\":\"0.1.0\"}"}},
    "spec":{"replicatedJobs":[{"name":"node","replicas":1,"template":{"spec":{"parallelism":2,"completions":2,
      "template":{"spec":{"containers":[{"name":"app","image":"app:1",
        "command":["/bin/sh","/etc/flux-config/entrypoint.sh"],"args":["app"]}]}}}}}]}})")
      .patch(Json::array({{{"op", "add"}, {"path", "/metadata/name"}, {"value", name}},
                          {{"op", "add"}, {"path", "/metadata/uid"}, {"value", uid}}}));
}

/// The same with a value at a JSON pointer.
inline Json with(Json object, const std::string& pointer, Json value) {
  object[Json::json_pointer(pointer)] = std::move(value);
  return object;
}

inline constexpr auto kInjectedPointer = "/metadata/annotations/flux-framework.org~1injected";

} // namespace fluxhook::companion::test
