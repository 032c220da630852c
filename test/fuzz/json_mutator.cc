// How the fuzzer changes inputs that are JSON: mostly as a tree, so that what comes out is JSON again and
// gets past the parser; else byte by byte, for the parser itself.
#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

using nlohmann::json;
using Random = std::minstd_rand;

/// Values that decide something somewhere, and those that no field expects.
constexpr std::array<const char*, 44> kValues{
    "null",
    "true",
    "false",
    "0",
    "-1",
    "1",
    "2",
    "9223372036854775807",
    "18446744073709551615",
    "1e300",
    "0.5",
    "[]",
    "{}",
    "\"\"",
    "\"true\"",
    "\"none\"",
    "\"node\"",
    "\"2\"",
    "\"500m\"",
    "\"4Gi\"",
    "\"leader\"",
    "\"NonIndexed\"",
    "\"Indexed\"",
    "\"OnFailure\"",
    "\"ClusterFirst\"",
    "\"CREATE\"",
    "\"UPDATE\"",
    "\"DELETE\"",
    "\"a,b\"",
    "\"-o x\"",
    "\"'\"",
    "\"$(X)\"",
    "\"\\u0000\"",
    "\"\\n\"",
    "\"\xC3\xA9\"",
    "\"/dev/shm\"",
    "\"/mnt/flux\"",
    "\"flux-installer\"",
    "\"flux-install\"",
    "\"shared-memory\"",
    "[{}]",
    "[null]",
    "[\"\"]",
    "{\"valueFrom\":{\"fieldRef\":{\"fieldPath\":\"metadata.name\"}}}"};

constexpr std::array<const char*, 56> kKeys{"metadata",
                                            "spec",
                                            "name",
                                            "generateName",
                                            "namespace",
                                            "labels",
                                            "annotations",
                                            "deletionTimestamp",
                                            "ownerReferences",
                                            "uid",
                                            "controller",
                                            "replicatedJobs",
                                            "replicas",
                                            "template",
                                            "parallelism",
                                            "completions",
                                            "completionMode",
                                            "backoffLimit",
                                            "successPolicy",
                                            "containers",
                                            "initContainers",
                                            "volumes",
                                            "volumeMounts",
                                            "command",
                                            "args",
                                            "env",
                                            "image",
                                            "resources",
                                            "limits",
                                            "nvidia.com/gpu",
                                            "cpu",
                                            "hostNetwork",
                                            "dnsPolicy",
                                            "affinity",
                                            "podAntiAffinity",
                                            "tolerations",
                                            "nodeSelector",
                                            "schedulingGates",
                                            "restartPolicy",
                                            "terminationGracePeriodSeconds",
                                            "network",
                                            "enableDNSHostnames",
                                            "subdomain",
                                            "suspend",
                                            "managedBy",
                                            "securityContext",
                                            "mountPath",
                                            "kind",
                                            "apiVersion",
                                            "object",
                                            "oldObject",
                                            "items",
                                            "type",
                                            "resourceVersion",
                                            "code",
                                            "continue"};

constexpr std::array<const char*, 19> kAnnotations{
    "affinity",     "complete-on",  "connect-timeout", "container",      "cores-per-task",
    "curve-secret", "interactive",  "log-level",       "network-device", "num-proc-per-node",
    "pmi",          "queue-policy", "replicated-jobs", "run-options",    "shm-size",
    "topology",     "view-image",   "injected",        "inject"};

template <class List>
const auto& pick(const List& list, Random& random) {
  return list[random() % list.size()];
}

void collect(json& value, std::vector<json*>& all) {
  all.push_back(&value);
  if (value.is_structured())
    for (json& below : value)
      collect(below, all);
}

void change_text(json& value, Random& random) {
  std::string text = value.get<std::string>();
  const std::size_t most = text.size() + 16;
  std::vector<std::uint8_t> bytes(text.begin(), text.end());
  const std::size_t size = bytes.size();
  bytes.resize(most);
  bytes.resize(LLVMFuzzerMutate(bytes.data(), size, 1 + random() % most));
  value = std::string(bytes.begin(), bytes.end());
}

void add_member(json& object, const json& other, Random& random) {
  const auto value = random() % 2 == 0 ? other : json::parse(pick(kValues, random));
  if (random() % 3 == 0) object[std::string("flux-framework.org/") + pick(kAnnotations, random)] = value;
  else object[pick(kKeys, random)] = value;
}

void remove_one(json& value, Random& random) {
  if (value.empty()) return;
  const auto at = std::next(value.begin(), static_cast<std::ptrdiff_t>(random() % value.size()));
  value.erase(at);
}

void change(json& document, Random& random) {
  std::vector<json*> all;
  collect(document, all);
  json& value = *pick(all, random);
  const json other = *pick(all, random); // a copy: it may hold `value`
  switch (random() % 6) {
  case 0: value = json::parse(pick(kValues, random)); break;
  case 1: value = other; break;
  case 2:
    if (value.is_structured()) remove_one(value, random);
    break;
  case 3:
    if (value.is_string()) change_text(value, random);
    break;
  case 4:
    if (value.is_array()) value.push_back(value.empty() ? other : json(pick(value, random)));
    break;
  default:
    if (value.is_object()) add_member(value, other, random);
    break;
  }
}

} // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                               unsigned seed) {
  Random random(seed);
  json document = json::parse(data, data + size, nullptr, false);
  if (document.is_discarded() || random() % 16 == 0) return LLVMFuzzerMutate(data, size, most);
  for (auto times = 1 + random() % 4; times > 0; --times)
    change(document, random);
  const std::string text = document.dump(-1, ' ', false, json::error_handler_t::replace);
  if (text.size() > most) return LLVMFuzzerMutate(data, size, most);
  std::copy(text.begin(), text.end(), data);
  return text.size();
}
