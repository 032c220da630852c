// What the files are made of: filling in placeholders, and R.
#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include <vector>

#include "fluxhook/flux/render.h"

using namespace fluxhook::flux;

TEST_CASE("placeholders become their values, in one pass", "[flux]") {
  CHECK(fill("", {}) == "");
  CHECK(fill("a @B@ @C_D@@B@", {{"B", "1"}, {"C_D", "2"}}) == "a 1 21");
  CHECK(fill("@A@", {{"A", "@B@ @A@"}}) == "@B@ @A@");
  CHECK(fill("\"$@\" @ @@ @a@ @A a@b.c @A-B@", {}) == "\"$@\" @ @@ @a@ @A a@b.c @A-B@");
  CHECK(fill("user@A@host", {{"A", "-"}}) == "user-host");
  CHECK(fill("@@A@@", {{"A", "-"}}) == "@-@");
}

TEST_CASE("a placeholder without value and a value without placeholder are errors", "[flux]") {
  CHECK(fill("a @B@", {}).error().text() ==
        "@B@: the template has this placeholder, but there is no value for it");
  CHECK(fill("a @B@", {{"B", ""}, {"C", ""}}).error().text() ==
        "@C@: there is a value, but the template has no such placeholder");
}

TEST_CASE("R names ranks, cores, GPUs and hosts as RFC 20 says", "[flux]") {
  const auto r = [](const std::vector<NodeGroup>& groups) {
    return nlohmann::json::parse(render_r({.groups = groups}).value());
  };
  // Printed by `flux R encode -r 0-3 -c 0-1 -g 0 -H js-node-0-[0-3]` of flux-core 0.88.
  CHECK(r({{.prefix = "js-node-0-", .count = 4, .cores = 2, .gpus = 1}}) == nlohmann::json::parse(R"(
    {"version": 1, "execution": {"R_lite": [{"rank": "0-3", "children": {"core": "0-1", "gpu": "0"}}],
     "starttime": 0.0, "expiration": 0.0, "nodelist": ["js-node-0-[0-3]"]}})"));
  CHECK(r({{.prefix = "js-node-0-"}}) == nlohmann::json::parse(R"(
    {"version": 1, "execution": {"R_lite": [{"rank": "0", "children": {"core": "0"}}],
     "starttime": 0.0, "expiration": 0.0, "nodelist": ["js-node-0-0"]}})"));
}

TEST_CASE("in R neighbours with the same cores and GPUs are one entry", "[flux]") {
  const auto r =
      nlohmann::json::parse(render_r({.groups = {{.prefix = "a-0-", .count = 2, .cores = 4},
                                                 {.prefix = "a-1-", .count = 2, .cores = 4},
                                                 {.prefix = "b-0-", .count = 1, .cores = 2},
                                                 {.prefix = "c-0-", .count = 3, .cores = 2, .gpus = 2},
                                                 {.prefix = "d-0-", .count = 1, .cores = 4}}})
                                .value());
  CHECK(r["execution"]["R_lite"] == nlohmann::json::parse(R"([
    {"rank": "0-3", "children": {"core": "0-3"}},
    {"rank": "4", "children": {"core": "0-1"}},
    {"rank": "5-7", "children": {"core": "0-1", "gpu": "0-1"}},
    {"rank": "8", "children": {"core": "0-3"}}])"));
  CHECK(r["execution"]["nodelist"] == nlohmann::json{"a-0-[0-1],a-1-[0-1],b-0-0,c-0-[0-2],d-0-0"});
}

TEST_CASE("R ends with a newline and takes no odd host name", "[flux]") {
  CHECK(render_r({.groups = {{.prefix = "a-"}}}).value().ends_with("}\n"));
  CHECK_FALSE(render_r({.groups = {{.prefix = "a,b-"}}}));
}
