#include "fluxhook/flux/rules.h"

#include <algorithm>
#include <array>
#include <format>

namespace fluxhook::flux {
namespace {

constexpr auto kError = Severity::kError;
constexpr auto kWarning = Severity::kWarning;

constexpr std::array kRules{
    RuleInfo{Rule::kNumProcPerNode, kError, "num-proc-per-node", "num-proc-per-node is a positive int32"},
    RuleInfo{Rule::kUnknownSetting, kError, "unknown-setting",
             "every annotation under the prefix is a known setting"},
    RuleInfo{Rule::kMalformedSetting, kError, "malformed-setting", "a setting has a value that it accepts"},
    RuleInfo{Rule::kNoReplicatedJob, kError, "no-replicated-job", "the named replicatedJobs exist"},
    RuleInfo{Rule::kAmbiguousReplicatedJob, kError, "ambiguous-replicated-job",
             "the replicatedJobs of the instance can be told"},
    RuleInfo{Rule::kNoContainer, kError, "no-container", "the named container exists"},
    RuleInfo{Rule::kAmbiguousContainer, kError, "ambiguous-container",
             "the container that runs Flux can be told"},
    RuleInfo{Rule::kReservedInitContainer, kError, "reserved-init-container",
             "the container name flux-installer is fluxhook's"},
    RuleInfo{Rule::kReservedVolume, kError, "reserved-volume",
             "the volume names of the injection are fluxhook's"},
    RuleInfo{Rule::kReservedMountPath, kError, "reserved-mount-path",
             "nothing else is mounted where the injection mounts"},
    RuleInfo{Rule::kReservedEnv, kError, "reserved-env",
             "the env variables that tell a pod who it is are not set"},
    RuleInfo{Rule::kArgsWithoutCommand, kError, "args-without-command", "args come with a command"},
    RuleInfo{Rule::kNonIndexed, kError, "non-indexed", "completionMode is Indexed"},
    RuleInfo{Rule::kCompletionsDiffer, kError, "completions-differ", "completions equals parallelism"},
    RuleInfo{Rule::kDnsHostnamesOff, kError, "dns-hostnames-off", "network.enableDNSHostnames is not false"},
    RuleInfo{Rule::kHostName, kError, "host-name", "every pod's host name is a DNS label"},
    RuleInfo{Rule::kObjectName, kError, "object-name", "the names of Jobs and Services are DNS labels"},
    RuleInfo{Rule::kSubdomain, kError, "subdomain", "the subdomain is a DNS label"},
    RuleInfo{Rule::kGpuShare, kError, "gpu-share", "every task gets the same whole number of GPUs"},
    RuleInfo{Rule::kDnsPolicy, kError, "dns-policy", "the pods resolve the cluster's names"},
    RuleInfo{Rule::kInjectOnUpdate, kError, "inject-on-update",
             "the label is there when the JobSet is created"},
    RuleInfo{Rule::kNotInjected, kError, "not-injected",
             "a labelled JobSet went through the mutating webhook"},
    RuleInfo{Rule::kWrongType, kError, "wrong-type", "a field has the type that the API gives it"},
    RuleInfo{Rule::kNoPods, kError, "no-pods", "every replicatedJob of the instance has pods"},
    RuleInfo{Rule::kMalformedInjected, kError, "malformed-injected",
             "the annotation injected is as fluxhook wrote it"},
    RuleInfo{Rule::kTooManyPods, kError, "too-many-pods", "the instance's host list fits into a ConfigMap"},
    RuleInfo{Rule::kNulCharacter, kError, "nul-character", "command, args and env hold no NUL character"},
    RuleInfo{Rule::kDependsOnMember, kError, "depends-on-member",
             "no replicatedJob of the instance waits for another to be complete"},
    RuleInfo{Rule::kRestartOnFailure, kWarning, "restart-on-failure", "restartPolicy is Never"},
    RuleInfo{Rule::kNotReadyAddresses, kWarning, "not-ready-addresses",
             "network.publishNotReadyAddresses is not false"},
    RuleInfo{Rule::kFloatingImage, kWarning, "floating-image", "the view image has a tag other than latest"},
    RuleInfo{Rule::kSkippedDeleting, kWarning, "skipped-deleting",
             "a JobSet that is being deleted is left alone"},
    RuleInfo{Rule::kSkippedTrainer, kWarning, "skipped-trainer",
             "a JobSet that Trainer's Flux plugin has set up is left alone"},
    RuleInfo{Rule::kLabelValue, kWarning, "label-value",
             "the label's value is true, enabled, false or disabled"},
    RuleInfo{Rule::kSettingChanged, kWarning, "setting-changed",
             "settings are set when the JobSet is created"},
    RuleInfo{Rule::kLabelledBefore, kWarning, "labelled-before",
             "a labelled JobSet was created with fluxhook there"},
    RuleInfo{Rule::kUnknownLabel, kWarning, "unknown-label",
             "a label under the prefix is the one that selects"},
};

} // namespace

std::span<const RuleInfo> rules() { return kRules; }

const RuleInfo& info(Rule rule) { return *std::ranges::lower_bound(kRules, rule, {}, &RuleInfo::rule); }

std::string rule_id(Rule rule) { return std::format("FH{:03}", static_cast<unsigned>(rule)); }

} // namespace fluxhook::flux
