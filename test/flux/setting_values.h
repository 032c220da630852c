#pragma once

#include <string>
#include <string_view>
#include <vector>

// Good and bad values of every setting.
namespace fluxhook::flux::values {

using namespace std::string_literals;

inline constexpr std::string_view kSha256 =
    "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

struct Good {
  std::string_view name;
  std::string text;
  std::string written; ///< when it isn't `text`
};

// What docs/settings.md says that each takes, its borders among them.
inline const std::vector<Good>& good() {
  static const std::vector<Good> kRows{
      {"affinity", "true", {}},
      {"affinity", "false", {}},
      {"complete-on", "all", {}},
      {"complete-on", "leader", {}},
      {"connect-timeout", "5s", {}},
      {"connect-timeout", "0", {}},
      {"connect-timeout", "1.5m", {}},
      {"connect-timeout", ".5", {}},
      {"connect-timeout", "250ms", {}},
      {"connect-timeout", "2h", {}},
      {"connect-timeout", "1d", {}},
      {"container", "a", {}},
      {"container", "0-app", {}},
      {"container", std::string(63, 'a'), {}},
      {"cores-per-task", "1", {}},
      {"cores-per-task", "2147483647", {}},
      {"cores-per-task", "007", "7"},
      {"curve-secret", "my-curve", {}},
      {"curve-secret", "my.curve.1", {}},
      {"curve-secret", std::string(253, 'a'), {}},
      {"interactive", "true", {}},
      {"interactive", "false", {}},
      {"log-level", "0", {}},
      {"log-level", "7", {}},
      {"network-device", "e", {}},
      {"network-device", "enp0s31f6.1000", {}},
      {"network-device", "fifteen-bytes_1", {}},
      {"num-proc-per-node", "1", {}},
      {"num-proc-per-node", "2147483647", {}},
      {"pmi", "auto", {}},
      {"pmi", "off", {}},
      {"pmi", "simple", {}},
      {"pmi", "pmi1", {}},
      {"pmi", "pmi2,pmix", {}},
      {"pmi", "cray-pals,simple", {}},
      {"queue-policy", "fcfs", {}},
      {"queue-policy", "easy", {}},
      {"queue-policy", "conservative", {}},
      {"queue-policy", "hybrid", {}},
      {"replicated-jobs", "node", {}},
      {"replicated-jobs", "b,a", {}},
      {"replicated-jobs", " b , a ", "b,a"},
      {"run-options", "", {}},
      {"run-options", "-o cpu-affinity=per-task", {}},
      {"run-options", R"(--env='A=b c' -v --setattr="x=\"y\"")", {}},
      {"run-options", "-o a=b\n-v", {}},
      {"run-options", "-vvln 4 --setopt verbose=2 -o exit-timeout=none -xt 5m", {}},
      {"run-options", "-n4 -N=2 -c 2 --gpus-per-task=1", {}},
      {"run-options", "--job=a -tq -q '' --input /dev/null --urgency hold --rlimit='-*' -t -1", {}},
      {"run-options", "--later-option value --another=x -B bank", {}}, // other versions have other options
      {"run-options", "-v --later-option", {}},
      {"run-options", "-v -B", {}},
      {"shm-size", "1Gi", {}},
      {"shm-size", "1", {}},
      {"shm-size", "64e6", {}},
      {"shm-size", "0.5Gi", {}},
      {"topology", "kary:0", {}},
      {"topology", "kary:2147483647", {}},
      {"topology", "mincrit", {}},
      {"topology", "mincrit:8", {}},
      {"topology", "binomial", {}},
      {"topology", "custom", {}},
      {"view-image", "none", {}},
      {"view-image", "app", {}},
      {"view-image", "registry.example:5000/flux/view:1.2", {}},
      {"view-image", "ghcr.io/org/view@" + std::string(kSha256), {}},
  };
  return kRows;
}

struct Bad {
  std::string_view name;
  std::string text;
  std::string message;
};

inline constexpr auto kInteger = "must be an integer";
inline constexpr auto kDevice =
    "must be a network interface's name: 1-15 letters, digits, '.', '_', '-' or '@'";
inline constexpr auto kDuration = "must be a Flux duration: a number followed by ms, s, m, h, d or nothing";
inline constexpr auto kTopology = "must be kary:K, mincrit, mincrit:K, binomial or custom";

// As field.Invalid and field.NotSupported of k8s.io/apimachinery word them.
inline std::string invalid(const std::string& value, const std::string& detail) {
  return "Invalid value: \"" + value + "\": " + detail;
}
inline std::string unsupported(const std::string& value, const std::string& values) {
  return "Unsupported value: \"" + value + "\": supported values: " + values;
}

inline const std::vector<Bad>& bad_numbers() {
  static const std::vector<Bad> kRows{
      {"num-proc-per-node", "0", invalid("0", "must be greater than or equal to 1")},
      {"num-proc-per-node", "-1", invalid("-1", "must be greater than or equal to 1")},
      {"num-proc-per-node", "2147483648", invalid("2147483648", "must be less than or equal to 2147483647")},
      {"num-proc-per-node", "", invalid("", kInteger)},
      {"num-proc-per-node", "two", invalid("two", kInteger)},
      {"num-proc-per-node", "1.5", invalid("1.5", kInteger)},
      {"num-proc-per-node", " 1", invalid(" 1", kInteger)},
      {"num-proc-per-node", "+1", invalid("+1", kInteger)},
      {"num-proc-per-node", "0x10", invalid("0x10", kInteger)},
      {"cores-per-task", "0", invalid("0", "must be greater than or equal to 1")},
      {"cores-per-task", "2147483648", invalid("2147483648", "must be less than or equal to 2147483647")},
      {"log-level", "-1", invalid("-1", "must be greater than or equal to 0")},
      {"log-level", "8", invalid("8", "must be less than or equal to 7")},
      {"log-level", "info", invalid("info", kInteger)},
      {"connect-timeout", "", invalid("", kDuration)},
      {"connect-timeout", "s", invalid("s", kDuration)},
      {"connect-timeout", "-1s", invalid("-1s", kDuration)},
      {"connect-timeout", "5 s", invalid("5 s", kDuration)},
      {"connect-timeout", "5sec", invalid("5sec", kDuration)},
      {"connect-timeout", "1e3", invalid("1e3", kDuration)},
      {"connect-timeout", "inf", invalid("inf", kDuration)},
      {"connect-timeout", "nan", invalid("nan", kDuration)},
      {"shm-size", "0", invalid("0", "must be greater than 0")},
      {"shm-size", "-1Gi", invalid("-1Gi", "must be greater than 0")},
      {"shm-size", "1m", invalid("1m", "must be a whole number of bytes, such as 512Mi")},
      {"shm-size", "500m", invalid("500m", "must be a whole number of bytes, such as 512Mi")},
      {"topology", "", invalid("", kTopology)},
      {"topology", "kary", invalid("kary", kTopology)},
      {"topology", "kary:", invalid("kary:", kTopology)},
      {"topology", "kary:-1", invalid("kary:-1", kTopology)},
      {"topology", "kary:2147483648", invalid("kary:2147483648", kTopology)},
      {"topology", "binomial:2", invalid("binomial:2", kTopology)},
      {"topology", "flat", invalid("flat", kTopology)},
  };
  return kRows;
}

inline const std::vector<Bad>& bad_words() {
  constexpr auto kBooleans = R"("true", "false")";
  constexpr auto kPolicies = R"("fcfs", "easy", "conservative", "hybrid")";
  constexpr auto kPmi = R"("auto", "off", "simple", "pmi1", "pmi2", "pmix", "cray-pals")";
  constexpr auto kPlain = "must be UTF-8 without NUL";
  constexpr auto kNames = "must be replicatedJob names separated by commas";
  static const std::vector<Bad> kRows{
      {"affinity", "", unsupported("", kBooleans)},
      {"affinity", "True", unsupported("True", kBooleans)},
      {"interactive", "yes", unsupported("yes", kBooleans)},
      {"complete-on", "Leader", unsupported("Leader", R"("all", "leader")")},
      {"queue-policy", "FCFS", unsupported("FCFS", kPolicies)},
      {"queue-policy", "", unsupported("", kPolicies)},
      {"pmi", "", unsupported("", kPmi)},
      {"pmi", "simple,", unsupported("simple,", kPmi)},
      {"pmi", "pmi3", unsupported("pmi3", kPmi)},
      {"pmi", "auto,pmix", unsupported("auto,pmix", kPmi)},
      {"pmi", "simple,off", unsupported("simple,off", kPmi)},
      {"replicated-jobs", "", invalid("", kNames)},
      {"replicated-jobs", "a,", invalid("a,", kNames)},
      {"replicated-jobs", "a, ,b", invalid("a, ,b", kNames)},
      {"replicated-jobs", "a\0"s, invalid(R"(a\x00)", kPlain)},
      {"replicated-jobs", "a,\0\xd0"s, invalid(R"(a,\x00\xd0)", kPlain)}, // found by fuzzing
      {"replicated-jobs", "a,b,a", invalid("a,b,a", "must name each replicatedJob once")},
      {"replicated-jobs", "a,\0b"s, invalid(R"(a,\x00b)", kPlain)},
      {"replicated-jobs", "a,\xff", invalid(R"(a,\xff)", kPlain)},
      {"run-options", "-v 'a",
       invalid("-v 'a", "must be words as a shell splits them: the quote ' is never closed")},
      {"run-options", "-v \\",
       invalid(R"(-v \\)", "must be words as a shell splits them: a backslash with nothing after it")},
      {"run-options", "hostname", invalid("hostname", "must begin with an option of flux run")},
      {"run-options", "'' -v", invalid("'' -v", "must begin with an option of flux run")},
      {"run-options", "-v -- ls", invalid("-v -- ls", "must not contain the word --")},
      {"run-options", "-v lmp", invalid("-v lmp", R"("lmp" is no option: flux run would run it)")},
      {"run-options", "-o a b", invalid("-o a b", R"("b" is no option: flux run would run it)")},
      {"run-options", "--quiet -", invalid("--quiet -", R"("-" is no option: flux run would run it)")},
      {"run-options", "--later a b", invalid("--later a b", R"("b" is no option: flux run would run it)")},
      {"run-options", "--help", invalid("--help", R"("--help" does not run the job)")},
      {"run-options", "-vh", invalid("-vh", R"("-h" does not run the job)")},
      {"run-options", "-v --dry", invalid("-v --dry", R"("--dry" does not run the job)")},
      {"run-options", "-v -n", invalid("-v -n", R"("-n" needs a value)")},
      {"run-options", "-o", invalid("-o", R"("-o" needs a value)")},
      {"run-options", "--env --quiet", invalid("--env --quiet", R"("--env" needs a value)")},
      {"run-options", "-n four", invalid("-n four", R"("-n" needs a number)")},
      {"run-options", "-ln=4", invalid("-ln=4", R"("-n" needs a number)")}, // to argparse it is "=4"
      {"run-options", "-N=x", invalid("-N=x", R"("-N" needs a number)")},
      {"run-options", "--ntasks=-1", invalid("--ntasks=-1", R"("--ntasks" needs a number)")},
      {"run-options", "--quiet=1", invalid("--quiet=1", R"("--quiet" takes no value)")},
      {"run-options", "--cores=4",
       invalid("--cores=4", R"("--cores" can't be used with the -n that fluxhook gives flux run)")},
      {"run-options", "--tasks-per-node 2",
       invalid("--tasks-per-node 2",
               R"("--tasks-per-node" can't be used with the -n that fluxhook gives flux run)")},
      {"run-options", "-v\0-x"s, invalid(R"(-v\x00-x)", kPlain)},
      {"run-options", "-o \xff", invalid(R"(-o \xff)", kPlain)},
      {"run-options", "-v\0\xff"s, invalid(R"(-v\x00\xff)", kPlain)},
      {"network-device", "", invalid("", kDevice)},
      {"network-device", "sixteen-bytes-ib", invalid("sixteen-bytes-ib", kDevice)},
      {"network-device", ".", invalid(".", kDevice)},
      {"network-device", "..", invalid("..", kDevice)},
      {"network-device", "eth0:1", invalid("eth0:1", kDevice)},
      {"network-device", "eth 0", invalid("eth 0", kDevice)},
      {"network-device", "%h", invalid("%h", kDevice)},
      {"network-device", "*", invalid("*", kDevice)},
  };
  return kRows;
}

// Their messages are Kubernetes' own, or those of module k8s: what they start with is enough here.
inline const std::vector<Bad>& bad_names() {
  static const std::vector<Bad> kRows{
      {"container", "", "Invalid value: \"\": a lowercase RFC 1123 label must consist of"},
      {"container", "Node", "Invalid value: \"Node\": a lowercase RFC 1123 label must consist of"},
      {"container", std::string(64, 'a'),
       "Invalid value: \"" + std::string(64, 'a') + "\": must be no more than 63 characters"},
      {"curve-secret", "", "Invalid value: \"\": a lowercase RFC 1123 subdomain must consist of"},
      {"curve-secret", "a/b", "Invalid value: \"a/b\": a lowercase RFC 1123 subdomain must consist of"},
      {"curve-secret", std::string(254, 'a'),
       "Invalid value: \"" + std::string(254, 'a') + "\": must be no more than 253"},
      {"shm-size", "", "Invalid value: \"\": \"\" is not a quantity"},
      {"shm-size", "1GB", "Invalid value: \"1GB\": \"1GB\" is not a quantity"},
      {"view-image", "", "Invalid value: \"\": must be an image reference"},
      {"view-image", "None", "Invalid value: \"None\": an image's path must be in lower case, or none"},
      {"view-image", "view:", "Invalid value: \"view:\": an image's tag must be"},
      {"view-image", "a b", "Invalid value: \"a b\": must be an image reference"},
      {"view-image", "view@sha256:12", "Invalid value: \"view@sha256:12\": an image's digest must be"},
  };
  return kRows;
}

} // namespace fluxhook::flux::values
