#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_all.hpp>

#include <algorithm>

#include "fluxhook/admission/document.h"
#include "reviews.h"

using namespace fluxhook;
using namespace fluxhook::test;

namespace {

Error fault(std::string body) {
  const auto answer = admission::review(body, admission::Webhook::kMutate, {});
  REQUIRE_FALSE(answer.has_value());
  return answer.error();
}

std::string review_with(const std::string& object) {
  return R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u","operation":"CREATE",
    "kind":{"group":"jobset.x-k8s.io","version":"v1alpha2","kind":"JobSet"},"object":)" +
         object + "}}";
}

json response_to(std::string body) {
  const auto answer = admission::review(body, admission::Webhook::kMutate, {});
  if (!answer) FAIL(answer.error().text());
  return json::parse(answer->body)["response"];
}

} // namespace

TEST_CASE("malformed JSON is refused with the byte of the fault", "[admission]") {
  struct Row {
    std::string body, where;
  };
  const auto row = GENERATE(values<Row>({{"", "byte 0"},
                                         {"{", "byte 1"},
                                         {R"({"a":1,})", "byte 7"},
                                         {R"({"a":tru})", "byte 8"},
                                         {R"({"a":"b)", "byte 7"},
                                         {"{}x", "byte 2"},
                                         {std::string("{}\0{}", 5), "byte 2"},
                                         {"{\"a\":\"\xff\"}", "byte 6"},
                                         {"{\"a\":\"\xed\xa0\x80\"}", "byte 6"},
                                         {R"({"a":"\ud800"})", "byte 6"},
                                         {R"({"a":1e999})", "byte 5"}}));
  INFO(row.body);
  CHECK(fault(row.body).where == row.where);
  CHECK_FALSE(fault(row.body).what.empty());
}

TEST_CASE("a review nested too deep is refused at any depth, without using the stack for it", "[admission]") {
  for (const std::size_t depth : {101U, 10'000U, 4'000'000U}) {
    CHECK(fault(std::string(depth, '[')).what.contains("levels"));
    CHECK(fault(R"({"request":{"object":{"metadata":{"managedFields":)" + std::string(depth, '['))
              .what.contains("levels"));
  }
}

TEST_CASE("a key twice in one object is refused, wherever it is read", "[admission]") {
  CHECK(fault(R"({"kind":"a","kind":"b"})").what.contains("\"kind\" is there twice"));
  CHECK(fault(review_with(R"({"metadata":{"labels":{"a":"1","b":"2","a":"3"}}})")).what.contains("twice"));
  std::string many = "{";
  for (int i = 0; i < 100'000; ++i)
    many += "\"k" + std::to_string(i) + "\":1,";
  CHECK(fault(many + R"("k7":2})").what.contains("\"k7\" is there twice"));
}

TEST_CASE("what is no AdmissionReview v1 is refused with the field", "[admission]") {
  CHECK(fault("[]").what == "must be an AdmissionReview object");
  CHECK(fault("{}").where == "apiVersion");
  CHECK(fault(R"({"apiVersion":"admission.k8s.io/v1beta1"})").where == "apiVersion");
  CHECK(fault(R"({"apiVersion":"admission.k8s.io/v1","kind":"Pod"})").where == "kind");
  CHECK(fault(R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":3})").where ==
        "request");
  CHECK(fault(R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":7}})").where ==
        "request.uid");
  CHECK(fault(review_with("null")).where == "request.object");
}

TEST_CASE("a request that does not say what it asks about is refused, not let through", "[admission]") {
  // k8s.io/api/admission/v1: operation is one of four words; kind is a GroupVersionKind, whose three members
  // are always there.
  struct Row {
    std::string pointer;
    json value;
    std::string where;
  };
  const auto row = GENERATE(values<Row>({{"/operation", nullptr, "request.operation"},
                                         {"/operation", 7, "request.operation"},
                                         {"/operation", "", "request.operation"},
                                         {"/operation", "create", "request.operation"},
                                         {"/operation", "PATCH", "request.operation"},
                                         {"/kind", nullptr, "request.kind"},
                                         {"/kind", "JobSet", "request.kind"},
                                         {"/kind", json::object(), "request.kind.group"},
                                         {"/kind/group", 1, "request.kind.group"},
                                         {"/kind/version", nullptr, "request.kind.version"},
                                         {"/kind/kind", json::array(), "request.kind.kind"},
                                         {"/kind/kind", "", "request.kind.kind"}}));
  auto review = create_review(jobset());
  review["request"][json::json_pointer(row.pointer)] = row.value;
  INFO(review["request"].dump());
  CHECK(fault(review.dump()).where == row.where);
  if (row.value != nullptr) return;
  review["request"] = review["request"].patch({{{"op", "remove"}, {"path", row.pointer}}});
  CHECK(fault(review.dump()).where == row.where);
}

TEST_CASE("objects of other kinds, other operations and subresources are allowed unchanged", "[admission]") {
  auto review = create_review(jobset());
  const auto* const change = GENERATE("kind", "version", "DELETE", "CONNECT", "subResource", "core");
  if (change == std::string_view("kind")) review["request"]["kind"]["kind"] = "TrainJob";
  if (change == std::string_view("version")) review["request"]["kind"]["version"] = "v1";
  if (change == std::string_view("DELETE")) review["request"]["operation"] = "DELETE";
  if (change == std::string_view("CONNECT")) review["request"]["operation"] = "CONNECT";
  if (change == std::string_view("core"))
    review["request"]["kind"] = {{"group", ""}, {"version", "v1"}, {"kind", "Pod"}};
  if (change == std::string_view("subResource")) review["request"]["subResource"] = "status";
  const auto response = answer(review);
  CHECK(response == json{{"uid", review["request"]["uid"]}, {"allowed", true}});
}

TEST_CASE("a field of the wrong type is a denial that names it", "[admission]") {
  struct Row {
    const char* pointer;
    json value;
    std::string field;
  };
  const std::string job = "spec.replicatedJobs[0].template.spec";
  const std::string pod = job + ".template.spec";
  const auto row = GENERATE_COPY(values<Row>({
      {"/metadata/annotations", "x", "metadata.annotations"},
      {"/metadata/annotations", json{{"a/b", 1}}, "metadata.annotations[a/b]"},
      {"/spec/replicatedJobs", "x", "spec.replicatedJobs"},
      {"/spec/replicatedJobs/0", 7, "spec.replicatedJobs[0]"},
      {"/spec/replicatedJobs/0/name", 7, "spec.replicatedJobs[0].name"},
      {"/spec/replicatedJobs/0/replicas", "two", "spec.replicatedJobs[0].replicas"},
      {"/spec/replicatedJobs/0/replicas", 1e30, "spec.replicatedJobs[0].replicas"},
      {"/spec/replicatedJobs/0/replicas", 18446744073709551615U, "spec.replicatedJobs[0].replicas"},
      {"/spec/replicatedJobs/0/template", json::array(), "spec.replicatedJobs[0].template"},
      {"/spec/replicatedJobs/0/template/spec/parallelism", "2", job + ".parallelism"},
      {"/spec/replicatedJobs/0/template/spec/completions", 9223372036854775808U, job + ".completions"},
      {"/spec/replicatedJobs/0/template/spec/template/spec/containers", json::object(), pod + ".containers"},
      {"/spec/replicatedJobs/0/template/spec/template/spec/containers/0/command", "a b",
       pod + ".containers[0].command"},
      {"/spec/replicatedJobs/0/template/spec/template/spec/containers/0/command/1", 1,
       pod + ".containers[0].command[1]"},
      {"/spec/replicatedJobs/0/template/spec/template/spec/hostNetwork", "yes", pod + ".hostNetwork"},
      {"/spec/network", 1, "spec.network"},
      {"/spec/suspend", "true", "spec.suspend"},
  }));
  auto object = jobset();
  object[json::json_pointer(row.pointer)] = row.value;
  INFO(object.dump());
  const auto response = answer(create_review(object));
  CHECK(response["allowed"] == false);
  CHECK(response["status"]["code"] == 422);
  CHECK(response["status"]["details"]["causes"][0]["field"] == row.field);
}

TEST_CASE("null reads as absent, as the API server has it", "[admission]") {
  auto object = jobset();
  object["metadata"]["annotations"] = nullptr;
  object["spec"]["network"] = nullptr;
  container(object)["args"] = nullptr;
  pod_spec(object)["initContainers"] = nullptr;
  const auto out = mutated(object);
  CHECK(out["spec"]["network"]["enableDNSHostnames"] == true);
  CHECK(out["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]["initContainers"].size() ==
        1);
}

TEST_CASE("null in a list is no absent field but an item of a wrong type", "[admission]") {
  // JobSet's schema has no nullable items (k8s.io/apiextensions-apiserver, structural schemas).
  const std::string pod = "spec.replicatedJobs[0].template.spec.template.spec";
  struct Row {
    std::string list, field, what;
  };
  const auto row = GENERATE_COPY(values<Row>({
      {"/spec/replicatedJobs/0/template/spec/template/spec/containers/0/command",
       pod + ".containers[0].command", "must be a string"},
      {"/spec/replicatedJobs/0/template/spec/template/spec/containers/0/args", pod + ".containers[0].args",
       "must be a string"},
      {"/spec/replicatedJobs/0/template/spec/template/spec/containers/0/env", pod + ".containers[0].env",
       "must be an object"},
      {"/spec/replicatedJobs/0/template/spec/template/spec/containers/0/volumeMounts",
       pod + ".containers[0].volumeMounts", "must be an object"},
      {"/spec/replicatedJobs/0/template/spec/template/spec/initContainers", pod + ".initContainers",
       "must be an object"},
      {"/spec/replicatedJobs/0/template/spec/template/spec/volumes", pod + ".volumes", "must be an object"},
      {"/spec/replicatedJobs/0/template/spec/template/spec/tolerations", pod + ".tolerations",
       "must be an object"},
      {"/spec/replicatedJobs/0/template/spec/template/spec/schedulingGates", pod + ".schedulingGates",
       "must be an object"},
      {"/metadata/ownerReferences", "metadata.ownerReferences", "must be an object"},
  }));
  auto object = jobset();
  object[json::json_pointer(row.list)] = json::array({nullptr});
  const json cause{{"reason", "FieldValueTypeInvalid"},
                   {"message", "Invalid value: \"null\": " + row.what + " (FH023)"},
                   {"field", row.field + "[0]"}};
  for (const auto webhook : {admission::Webhook::kMutate, admission::Webhook::kValidate}) {
    const auto response = answer(create_review(object), webhook);
    INFO(response.dump());
    CHECK(response["allowed"] == false);
    CHECK(std::ranges::contains(response["status"]["details"]["causes"], cause));
  }
}

TEST_CASE("a NUL in a name is a denial, not the end of a text", "[admission]") {
  const auto response = response_to(review_with(
      R"({"metadata":{"name":"a\u0000b","labels":{"flux-framework.org/inject":"true"}},"spec":{"replicatedJobs":
      [{"name":"node","template":{"spec":{"template":{"spec":{"containers":[{"name":"a","image":"b","command":["c"]}]}}}}}]}})"));
  CHECK(response["allowed"] == false);
  CHECK(response["status"]["details"]["causes"][0]["field"] == "metadata.name");
}

TEST_CASE("every fault of an object comes in one answer, with a cause each", "[admission]") {
  auto object = jobset();
  object["metadata"]["annotations"] = {{"flux-framework.org/num-proc-per-node", "0"},
                                       {"flux-framework.org/num-procs-per-node", "2"}};
  job_spec(object)["completionMode"] = "NonIndexed";
  const auto response = answer(create_review(object));
  const auto& status = response["status"];
  CHECK(status["reason"] == "Invalid");
  CHECK(status["details"]["causes"].size() == 3);
  CHECK(status["details"]["causes"][0] ==
        json{{"reason", "FieldValueInvalid"},
             {"message", "Invalid value: \"0\": must be greater than or equal to 1 (FH001)"},
             {"field", "metadata.annotations[flux-framework.org/num-proc-per-node]"}});
  const auto message = status["message"].get<std::string>();
  CHECK(message.starts_with(
      "[metadata.annotations[flux-framework.org/num-proc-per-node]: Invalid value: \"0\": must be "
      "greater than or equal to 1, "));
  CHECK(message.contains("did you mean flux-framework.org/num-proc-per-node?"));
  CHECK(message.ends_with("(FH001, FH002, FH013)"));
}

TEST_CASE("no control character reaches a warning or a message", "[admission]") {
  auto object = jobset();
  object["metadata"]["annotations"]["flux-framework.org/a\x1b[31m\n"] = "x\x07";
  const auto message = denial(object);
  for (const char c : message)
    CHECK(static_cast<unsigned char>(c) >= 0x20);
}

TEST_CASE("a JobSet document is read by itself as the review's object is", "[admission]") {
  const auto document = admission::JobSetDocument::parse(jobset().dump());
  REQUIRE(document.has_value());
  CHECK(document->jobset().name == "js");
  CHECK(document->jobset().replicated_jobs.at(0).job.parallelism == 2);
  CHECK(document->jobset().terminal_state.empty());
  auto finished = jobset();
  finished["status"]["terminalState"] = "Completed";
  finished["spec"]["managedBy"] = "somebody.else/controller";
  const auto over = admission::JobSetDocument::parse(finished.dump());
  CHECK(over->jobset().terminal_state == "Completed");
  CHECK(over->jobset().managed_by == "somebody.else/controller");
  CHECK_FALSE(admission::JobSetDocument::parse(R"({"apiVersion":"v1","kind":"Pod"})").has_value());
  CHECK_FALSE(admission::JobSetDocument::parse("[]").has_value());
}
