#include <catch2/catch_test_macros.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "flux/fields.h"
#include "flux/jobsets.h"

// Rules on the order in which JobSet creates Jobs.

using namespace fluxhook;
using namespace fluxhook::flux;

namespace {

using Dependencies = std::vector<k8s::Dependency>;

/// Three replicatedJobs, a, b and c; those in `members` make the instance.
k8s::JobSet in_order(std::string_view members) {
  auto made = jobset({replicated_job("a"), replicated_job("b"), replicated_job("c")});
  annotate(made, "replicated-jobs", std::string(members));
  return made;
}

std::string awaits_a(std::string_view field, std::string_view value) {
  return "FH028 spec.replicatedJobs" + std::string(field) + ": Invalid value: \"" + std::string(value) +
         "\": must not wait until a is complete: all brokers of a Flux instance run at the same time";
}

} // namespace

TEST_CASE("FH028: a member that waits for another to be complete", "[flux]") {
  auto one = in_order("a, b");
  one.replicated_jobs[1].depends_on = Dependencies{{"a", "Complete"}};
  CHECK(findings(one) == Lines{awaits_a("[1].dependsOn[0].status", "Complete")});
  one.replicated_jobs[1].depends_on = Dependencies{{"a", "Ready"}};
  CHECK(findings(one).empty());
  one.replicated_jobs[1].depends_on = Dependencies{{}};
  CHECK(findings(one).empty()); // JobSet refuses it
  one.replicated_jobs[1].depends_on.clear();
  CHECK(findings(one).empty());
}

TEST_CASE("FH028: a member that waits for another by way of one that is none", "[flux]") {
  auto one = in_order("a, c");
  one.replicated_jobs[1].depends_on = Dependencies{{"a", "Complete"}};
  CHECK(findings(one).empty()); // what comes after the instance
  one.replicated_jobs[2].depends_on = Dependencies{{"a", "Ready"}, {"b", "Ready"}};
  CHECK(findings(one) == Lines{awaits_a("[2].dependsOn[1].name", "b")});
  one.replicated_jobs[2].depends_on = Dependencies{{"b", "Complete"}};
  CHECK(findings(one) == Lines{awaits_a("[2].dependsOn[0].name", "b")});
  one.replicated_jobs[1].depends_on = Dependencies{{"a", "Ready"}};
  CHECK(findings(one).empty());
}

TEST_CASE("FH028: a member that waits for one of another kind to be complete", "[flux]") {
  auto one = in_order("b, c");
  one.replicated_jobs[1].depends_on = Dependencies{{"a", "Complete"}}; // an initializer
  one.replicated_jobs[2].depends_on = Dependencies{{"a", "Complete"}, {"b", "Ready"}};
  CHECK(findings(one).empty());
}
