#include "fluxhook/k8s/jobset.h"

#include <catch2/catch_test_macros.hpp>

#include <string_view>

using namespace fluxhook::k8s;

TEST_CASE("a map tells an empty value from an absent one", "[k8s]") {
  const StringMap map{{{"a", "1"}, {"b", ""}}};
  REQUIRE(map.find("a") != nullptr);
  CHECK(*map.find("a") == "1");
  REQUIRE(map.find("b") != nullptr);
  CHECK(map.find("b")->empty());
  CHECK(map.find("c") == nullptr);
  CHECK(map.get("a") == "1");
  CHECK(map.get("b").empty());
  CHECK(map.get("c").empty());
  CHECK(StringMap{}.find("") == nullptr);
}

TEST_CASE("a replica has completions pods, else parallelism, else one", "[k8s]") {
  ReplicatedJob job;
  CHECK(job.pods() == 1);
  job.job.parallelism = 4;
  CHECK(job.pods() == 4);
  job.job.completions = 3;
  CHECK(job.pods() == 3);
  job.job.parallelism.reset();
  CHECK(job.pods() == 3);
  job.job.completions = 0;
  CHECK(job.pods() == 0);
}

TEST_CASE("labels and annotations of a JobSet without any are empty", "[k8s]") {
  JobSet jobset;
  CHECK(jobset.label("a").empty());
  CHECK(jobset.annotation("a").empty());
  jobset.labels = StringMap{{{"a", "label"}}};
  jobset.annotations = StringMap{{{"a", "annotation"}}};
  CHECK(jobset.label("a") == "label");
  CHECK(jobset.annotation("a") == "annotation");
  CHECK(jobset.label("b").empty());
}
