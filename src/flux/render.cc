#include "fluxhook/flux/render.h"

#include <algorithm>
#include <ranges>
#include <set>
#include <utility>

#include "checks.h"
#include "fluxhook/base/text.h"
#include "fluxhook/base/z85.h"
#include "fluxhook/flux/hostlist.h"
#include "fluxhook/flux/names.h"
#include "fluxhook/flux/quote.h"
#include "fluxhook/flux/templates.h"
#include "fluxhook/k8s/names.h"
#include "render_values.h"

namespace fluxhook::flux {

namespace {

constexpr std::int64_t kFlatBrokers = 256; ///< above, the lead would hold too many connections
constexpr std::int64_t kDefaultGrace = 30; ///< Kubernetes' terminationGracePeriodSeconds
constexpr std::int64_t kBrokersEnd = 8;    ///< seconds of it in which a broker is ended
constexpr std::size_t kConfigMap =
    1 << 20; ///< bytes that one can hold (k8s.io/kubernetes, pkg/apis/core/validation)

Error annotated(std::string where, const Error& error) {
  return {.where = std::move(where), .what = error.text()};
}

/// The parts of names that brokers find each other by, and the sizes that a ConfigMap can hold.
Result<void> check(const RenderInput& input) {
  if (input.members.empty()) return fail("spec.replicatedJobs", "must have the instance's pods");
  std::int64_t jobs = 0;
  std::int64_t pods = 0;
  for (const Member& member : input.members) {
    const std::int64_t replicas = member.job->replicas;
    const std::int64_t each = member.job->pods();
    if (replicas < 1 || replicas > kMaxJobs || each < 1 || each > kMaxPods)
      return fail("spec.replicatedJobs", in_quotes(member.job->name) + " must have from 1 to " +
                                             std::to_string(kMaxJobs) + " replicas and from 1 to " +
                                             std::to_string(kMaxPods) + " pods in each");
    jobs += replicas;
    pods += replicas * each;
  }
  if (jobs > kMaxJobs || pods > kMaxPods)
    return fail("spec.replicatedJobs", "must have no more than " + std::to_string(kMaxJobs) + " Jobs and " +
                                           std::to_string(kMaxPods) + " pods in a Flux instance");
  if (auto fault = k8s::check_dns1123_label(input.name_space); !fault.empty())
    return fail("metadata.namespace", in_quotes(input.name_space) + ": " + fault);
  if (auto fault = k8s::check_dns1123_label(input.subdomain); !fault.empty())
    return fail("spec.network.subdomain", in_quotes(input.subdomain) + ": " + fault);
  if (auto fault = k8s::check_dns1123_subdomain(input.cluster_domain); !fault.empty())
    return fail("cluster-domain", in_quotes(input.cluster_domain) + ": " + fault);
  if (!input.public_key.empty() && !z85_decode(input.public_key))
    return fail("public key", in_quotes(input.public_key) + " must be 40 characters of Z85");
  return {};
}

/// The shortest of the pods' grace periods, in seconds.
std::int64_t grace_seconds(const std::vector<Member>& members) {
  const auto grace = [](const Member& member) {
    return member.job->job.pod.spec.termination_grace_seconds.value_or(kDefaultGrace);
  };
  return std::ranges::min(members | std::views::transform(grace));
}

/// The lead runs no command: it was told so, or has none.
bool is_interactive(const RenderInput& input) {
  const k8s::Container& lead = *input.members.front().container;
  const bool no_command = !lead.command || lead.command->empty() || is_wrapped(lead);
  const bool no_args = !lead.args || lead.args->empty();
  return input.settings.interactive || (no_command && no_args);
}

/// Lines "PREFIX REPLICAS PODS": pods are PREFIX-J-I.
std::string group_lines(const RenderInput& input) {
  std::string lines;
  for (const Member& member : input.members)
    lines += (lines.empty() ? "" : "\n") + input.jobset_name + "-" + std::string(member.job->name) + " " +
             std::to_string(member.job->replicas) + " " + std::to_string(member.job->pods());
  return lines;
}

/// The variables whose value is each pod's own, in the order of the containers.
Result<std::vector<std::string>> pod_env(const std::vector<Member>& members) {
  using Source = k8s::EnvVar::Source;
  std::vector<std::string> names;
  std::set<std::string_view> seen{kJobEnv}; // the script's own
  for (const Member& member : members) {
    if (!member.container->env) continue;
    for (const k8s::EnvVar& variable : *member.container->env) {
      if (variable.source != Source::kFieldRef && variable.source != Source::kResourceFieldRef) continue;
      if (const auto fault = k8s::check_env_name(variable.name); !fault.empty())
        return fail("env " + in_quotes(variable.name), fault);
      if (seen.insert(variable.name).second) names.emplace_back(variable.name);
    }
  }
  return names;
}

/// What every pod has in R; 0, which no pod sees, where they differ: they then bind to no cores.
std::int64_t common_cores(const Resources& resources) {
  const std::int64_t cores = resources.groups.front().cores;
  const bool same = std::ranges::all_of(resources.groups, [&](const auto& g) { return g.cores == cores; });
  return same ? cores : 0;
}

Result<std::string> render_entrypoint(const RenderInput& input, const Resources& resources) {
  const Settings& settings = input.settings;
  const auto names = pod_env(input.members);
  if (!names) return std::unexpected(names.error());
  const bool has_gpus =
      std::ranges::any_of(resources.groups, [](const auto& group) { return group.gpus > 0; });
  ValueTable values("entrypoint.sh", quote_shell);
  values.add("LEAD", resources.lead());
  values.add("GROUPS", group_lines(input));
  values.add_number("NODES", resources.nodes);
  values.add_number("CORES", common_cores(resources));
  values.add_bare("GPU_AFFINITY", has_gpus ? "on" : "off");
  values.add_bare("INTERACTIVE", is_interactive(input) ? "true" : "false");
  values.add_bare("VIEW", settings.view_image == "none" ? "false" : "true");
  values.add("PMI", settings.pmi);
  values.add_words("POD_ENV", *names);
  values.add_number("GRACE", std::max<std::int64_t>(grace_seconds(input.members) - kBrokersEnd, 1));
  values.add("CONNECT_TIMEOUT", settings.connect_timeout);
  values.add_number("LOG_LEVEL", settings.log_level);
  values.add("JOBSET", input.jobset_name);
  values.add("CURVE_SECRET", secret_name(input.jobset_name, settings));
  values.add("PUBLIC_KEY", input.public_key);
  return values.fill_in(templates().entrypoint_sh);
}

Result<std::string> render_job(const Settings& settings, const Resources& resources) {
  const auto words = flux_run_words(resources, settings);
  if (!words) return std::unexpected(annotated("run-options", words.error()));
  ValueTable values("job.sh", quote_shell);
  values.add_words("RUN", *words);
  return values.fill_in(templates().job_sh);
}

/// An array of tables with one hostlist each.
Result<std::string> hosts_array(const Resources& resources) {
  const auto lists = hostlists(resources.groups);
  if (!lists) return std::unexpected(lists.error());
  std::string array;
  for (const std::string& list : *lists) {
    const auto host = quote_toml(list);
    if (!host) return std::unexpected(host.error());
    array += (array.empty() ? "[" : ", ") + ("{ host = " + *host + " }");
  }
  return array + "]";
}

/// What brokers listen on. Flux replaces %h and %p, and takes %% for a percent sign; behind hostNetwork no
/// device has the configured name.
std::string bind_uri(const RenderInput& input) {
  const auto on_host = [](const Member& member) { return member.job->job.pod.spec.host_network; };
  if (std::ranges::any_of(input.members, on_host)) return "tcp://*:%p";
  std::string device;
  for (char c : input.settings.network_device)
    device.append(c == '%' ? 2 : 1, c);
  return "tcp://" + device + ":%p";
}

Result<std::string> render_broker(const RenderInput& input, const Resources& resources) {
  auto hosts = hosts_array(resources);
  if (!hosts) return std::unexpected(std::move(hosts).error());
  const Settings& settings = input.settings;
  const std::string flat_or_tree = resources.nodes <= kFlatBrokers ? "kary:0" : "kary:32";
  const std::int64_t kill_timeout = std::max<std::int64_t>(grace_seconds(input.members) / 2, 1);
  ValueTable values("broker.toml", quote_toml);
  values.add("BIND", bind_uri(input));
  values.add("CONNECT",
             "tcp://%h." + input.subdomain + "." + input.name_space + ".svc." + input.cluster_domain + ":%p");
  values.add_bare("HOSTS", *std::move(hosts));
  values.add("TOPO", settings.topology.empty() ? flat_or_tree : settings.topology);
  values.add("QUEUE_POLICY", settings.queue_policy);
  values.add("KILL_TIMEOUT", std::to_string(kill_timeout) + "s");
  return values.fill_in(templates().broker_toml);
}

} // namespace

Result<Files> render_files(const RenderInput& input) {
  if (auto checked = check(input); !checked) return std::unexpected(std::move(checked).error());
  std::vector<k8s::FieldError> faults;
  const Resources resources = compute_resources(input.jobset_name, input.members, input.settings, faults);
  if (!faults.empty()) return fail(faults.front().field, faults.front().message());

  Files files;
  const std::pair<std::string_view, Result<std::string>> all[] = {
      {"init.sh", fill(templates().init_sh, {})},
      {"entrypoint.sh", render_entrypoint(input, resources)},
      {"job.sh", render_job(input.settings, resources)},
      {"broker.toml", render_broker(input, resources)},
      {"R", render_r(resources)},
  };
  std::size_t size = 0;
  for (const auto& [name, text] : all) {
    if (!text) return std::unexpected(text.error());
    size += name.size() + text->size();
    files.emplace(name, *text);
  }
  if (size > kConfigMap)
    return fail(config_map_name(input.jobset_name), "would hold " + std::to_string(size) +
                                                        " bytes; a ConfigMap can have " +
                                                        std::to_string(kConfigMap));
  return files;
}

Result<std::string> render_certificate(const CurveKeys& keys, std::string_view name) {
  ValueTable values("curve.cert", quote_zpl);
  values.add("NAME", name);
  values.add("PUBLIC", keys.public_key);
  values.add("SECRET", keys.secret_key);
  return values.fill_in(templates().curve_cert);
}

std::string config_map_name(std::string_view jobset_name) {
  return std::string(jobset_name) + "-flux-entrypoint";
}

std::string secret_name(std::string_view jobset_name, const Settings& settings) {
  return settings.curve_secret.empty() ? std::string(jobset_name) + "-flux-curve" : settings.curve_secret;
}

} // namespace fluxhook::flux
