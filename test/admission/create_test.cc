#include <catch2/catch_test_macros.hpp>
#include <iostream>

#include "reviews.h"

using namespace fluxhook;
using namespace fluxhook::test;

TEST_CASE("a plain labelled JobSet becomes a Flux cluster", "[admission]") {
  const auto out = mutated(jobset());
  INFO(out.dump(1));
  const auto& job = out["spec"]["replicatedJobs"][0]["template"]["spec"];
  const auto& pod = job["template"]["spec"];
  CHECK(job["completionMode"] == "Indexed");
  CHECK(job["backoffLimit"] == 0);
  CHECK(pod["restartPolicy"] == "Never");
  CHECK(pod["containers"][0]["command"] == json{"/bin/sh", "/etc/flux-config/entrypoint.sh"});
  CHECK(pod["containers"][0]["args"] == json{"lmp", "-in", "in.reaxff"});
  std::cout << out.dump(1) << "\n" << patch_of(answer(create_review(jobset()))).dump(1);
}
