#include <catch2/catch_test_macros.hpp>

#include <string>

#include "reviews.h"

using namespace fluxhook;
using namespace fluxhook::test;

TEST_CASE("a setting that is unknown and no string is told both in one answer", "[admission]") {
  auto object = jobset();
  object["metadata"]["annotations"] = {{"flux-framework.org/num-procs-per-node", 2},
                                       {"flux-framework.org/log-level", 4}};
  object["metadata"]["labels"]["flux-framework.org/log-level"] = true;
  const auto message = denial(object);
  INFO(message);
  for (const auto* part :
       {"metadata.annotations[flux-framework.org/num-procs-per-node]: Invalid value: \"number\": must be a "
        "string",
        "metadata.annotations[flux-framework.org/num-procs-per-node]: Forbidden: is no setting of fluxhook; "
        "did you "
        "mean flux-framework.org/num-proc-per-node?",
        "metadata.annotations[flux-framework.org/log-level]: Invalid value: \"number\": must be a string",
        "metadata.labels[flux-framework.org/log-level]: Invalid value: \"boolean\": must be a string",
        "metadata.labels[flux-framework.org/log-level]: Forbidden: must be an annotation, not a label"})
    CHECK(message.contains(part));
  CHECK_FALSE(message.contains("metadata.annotations[flux-framework.org/log-level]: Forbidden"));
}

TEST_CASE("an answer stays small whatever the object holds", "[admission]") {
  auto object = jobset();
  object["metadata"]["name"] = std::string(2'000'000, 'a');
  object["metadata"]["annotations"]["flux-framework.org/log-level"] = "ä" + std::string(2'000'000, 'b');
  object["metadata"]["annotations"]["flux-framework.org/" + std::string(200'000, 'c')] = "d";
  const auto response = answer(create_review(object));
  CHECK(response["allowed"] == false);
  CHECK(response["status"]["message"].get<std::string>().contains("…"));
  CHECK(response.dump().size() < 20'000);
}

TEST_CASE("of very many faults the first hundred are told, and how many more there are", "[admission]") {
  auto object = jobset();
  container(object)["command"] = json::array();
  for (int i = 0; i < 250; ++i)
    container(object)["command"].push_back(i);
  const auto response = answer(create_review(object));
  const auto& causes = response["status"]["details"]["causes"];
  REQUIRE(causes.size() == 101);
  CHECK(causes[99]["field"] ==
        "spec.replicatedJobs[0].template.spec.template.spec.containers[0].command[99]");
  CHECK(causes[100] == json{{"reason", "FieldValueInvalid"}, {"message", "and 150 more"}, {"field", ""}});
  CHECK(response["status"]["message"].get<std::string>().ends_with(", and 150 more] (FH023)"));
}
