#include "fluxhook/flux/setting_table.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <unordered_set>

#include "fluxhook/base/quantity.h"
#include "fluxhook/base/shell_words.h"
#include "fluxhook/base/text.h"
#include "fluxhook/k8s/names.h"
#include "run_options.h"

namespace fluxhook::flux {
namespace {

using namespace std::string_view_literals;

SettingFault bad(std::string_view text, std::string detail) {
  return k8s::invalid({}, text, std::move(detail));
}

SettingFault read_integer(std::string_view text, std::int64_t low, std::int64_t high, std::int32_t& out) {
  const auto value = parse_integer(text);
  if (!value) return bad(text, "must be an integer");
  if (*value < low) return bad(text, "must be greater than or equal to " + std::to_string(low));
  if (*value > high) return bad(text, "must be less than or equal to " + std::to_string(high));
  out = static_cast<std::int32_t>(*value);
  return {};
}

SettingFault read_bool(std::string_view text, bool& out) {
  static constexpr std::array kValues{"true"sv, "false"sv};
  if (text != "true" && text != "false") return k8s::not_supported({}, text, kValues);
  out = text == "true";
  return {};
}

std::string write_bool(bool value) { return value ? "true" : "false"; }

SettingFault read_num_proc_per_node(std::string_view text, Settings& out) {
  return read_integer(text, 1, std::numeric_limits<std::int32_t>::max(), out.num_proc_per_node);
}

SettingFault read_cores_per_task(std::string_view text, Settings& out) {
  std::int32_t cores = 0;
  if (auto fault = read_integer(text, 1, std::numeric_limits<std::int32_t>::max(), cores)) return fault;
  out.cores_per_task = cores;
  return {};
}

SettingFault read_log_level(std::string_view text, Settings& out) {
  return read_integer(text, 0, 7, out.log_level);
}

constexpr auto kUtf8 = "must be UTF-8 without NUL"; ///< or no JSON, and no file of the pods, could hold it

SettingFault read_replicated_jobs(std::string_view text, Settings& out) {
  if (!is_plain_utf8(text)) return bad(text, kUtf8);
  std::vector<std::string> names;
  std::unordered_set<std::string_view> had; // a caller can send a hundred thousand
  for (const auto name : split(text, ',')) {
    if (name.empty()) return bad(text, "must be replicatedJob names separated by commas");
    if (!had.insert(name).second) return bad(text, "must name each replicatedJob once");
    names.emplace_back(name);
  }
  out.replicated_jobs = std::move(names);
  return {};
}

std::string write_replicated_jobs(const Settings& settings) { return joined(settings.replicated_jobs, ","); }

SettingFault read_container(std::string_view text, Settings& out) {
  if (auto fault = k8s::check_dns1123_label(text); !fault.empty()) return bad(text, std::move(fault));
  out.container = text;
  return {};
}

SettingFault read_view_image(std::string_view text, Settings& out) {
  if (text != "none") {
    if (auto fault = k8s::check_image(text); !fault.empty()) return bad(text, std::move(fault) + ", or none");
  }
  out.view_image = text;
  return {};
}

// What the kernel takes (dev_valid_name), less what would mean something in an endpoint's URI.
SettingFault read_network_device(std::string_view text, Settings& out) {
  constexpr auto kDetail = "must be a network interface's name: 1-15 letters, digits, '.', '_', '-' or '@'";
  const auto good = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || "._-@"sv.contains(c);
  };
  if (text.empty() || text.size() > 15 || text == "." || text == ".." || !std::ranges::all_of(text, good))
    return bad(text, kDetail);
  out.network_device = text;
  return {};
}

SettingFault read_queue_policy(std::string_view text, Settings& out) {
  static constexpr std::array kValues{"fcfs"sv, "easy"sv, "conservative"sv, "hybrid"sv};
  if (!std::ranges::contains(kValues, text)) return k8s::not_supported({}, text, kValues);
  out.queue_policy = text;
  return {};
}

// Flux takes an unknown service for "none" without a word, so only what exists is let through
// (flux-core, doc/man1/common/job-shell-options.rst; flux-pmix; flux-coral2).
SettingFault read_pmi(std::string_view text, Settings& out) {
  static constexpr std::array kValues{"auto"sv, "off"sv,  "simple"sv,   "pmi1"sv,
                                      "pmi2"sv, "pmix"sv, "cray-pals"sv};
  const auto services = split(text, ',');
  const bool alone = services.size() == 1;
  for (const auto service : services) {
    const bool exclusive = service == "auto" || service == "off";
    if (!std::ranges::contains(kValues, service) || (exclusive && !alone))
      return k8s::not_supported({}, text, kValues);
  }
  out.pmi = text;
  return {};
}

// The words go before the user's command: one that is not an option's would be taken for the command.
SettingFault read_run_options(std::string_view text, Settings& out) {
  if (!is_plain_utf8(text)) return bad(text, kUtf8);
  const auto words = split_shell_words(text);
  if (!words) return bad(text, "must be words as a shell splits them: " + words.error().what);
  if (!words->empty() && !words->front().starts_with('-'))
    return bad(text, "must begin with an option of flux run");
  if (std::ranges::contains(*words, "--")) return bad(text, "must not contain the word --");
  if (auto fault = check_run_options(*words); !fault.empty()) return bad(text, std::move(fault));
  out.run_options = text;
  return {};
}

// flux-core, src/broker/topology.c: the schemes and what may follow them.
SettingFault read_topology(std::string_view text, Settings& out) {
  const auto has_number = [&](std::string_view scheme) {
    if (!text.starts_with(scheme)) return false;
    const auto number = parse_integer(text.substr(scheme.size()));
    return number && *number >= 0 && *number <= std::numeric_limits<std::int32_t>::max();
  };
  if (text != "custom" && text != "mincrit" && text != "binomial" && !has_number("kary:") &&
      !has_number("mincrit:"))
    return bad(text, "must be kary:K, mincrit, mincrit:K, binomial or custom");
  out.topology = text;
  return {};
}

// A Flux Standard Duration (flux-framework RFC 23): a number and ms, s, m, h, d or nothing.
SettingFault read_connect_timeout(std::string_view text, Settings& out) {
  constexpr auto kDetail = "must be a Flux duration: a number followed by ms, s, m, h, d or nothing";
  static constexpr std::array kUnits{""sv, "ms"sv, "s"sv, "m"sv, "h"sv, "d"sv};
  double number = 0;
  const auto [rest, error] = std::from_chars(text.begin(), text.end(), number, std::chars_format::fixed);
  const bool numeric = error == std::errc{} && std::isfinite(number) && number >= 0;
  if (!numeric || !std::ranges::contains(kUnits, std::string_view(rest, text.end())))
    return bad(text, kDetail);
  out.connect_timeout = text;
  return {};
}

SettingFault read_curve_secret(std::string_view text, Settings& out) {
  if (auto fault = k8s::check_dns1123_subdomain(text); !fault.empty()) return bad(text, std::move(fault));
  out.curve_secret = text;
  return {};
}

SettingFault read_shm_size(std::string_view text, Settings& out) {
  const auto size = parse_quantity(text);
  if (!size) return bad(text, size.error().what);
  if (size->milli <= 0) return bad(text, "must be greater than 0");
  // Half a byte: whoever writes 500m has docker's --shm-size in mind.
  if (size->milli % 1000 != 0) return bad(text, "must be a whole number of bytes, such as 512Mi");
  out.shm_size = text;
  return {};
}

SettingFault read_complete_on(std::string_view text, Settings& out) {
  static constexpr std::array kValues{"all"sv, "leader"sv};
  if (!std::ranges::contains(kValues, text)) return k8s::not_supported({}, text, kValues);
  out.complete_on_leader = text == "leader";
  return {};
}

template <auto Member>
void copy(const Settings& from, Settings& to) {
  to.*Member = from.*Member;
}

template <auto Member>
std::string text(const Settings& settings) {
  return settings.*Member;
}

using S = Settings;
constexpr std::array kTable{
    SettingInfo{"affinity", "", [](std::string_view t, S& s) { return read_bool(t, s.affinity); },
                [](const S& s) { return write_bool(s.affinity); }, copy<&S::affinity>},
    SettingInfo{"complete-on", "", read_complete_on,
                [](const S& s) { return std::string(s.complete_on_leader ? "leader" : "all"); },
                copy<&S::complete_on_leader>},
    SettingInfo{"connect-timeout", "", read_connect_timeout, text<&S::connect_timeout>,
                copy<&S::connect_timeout>},
    SettingInfo{"container", "", read_container, text<&S::container>, copy<&S::container>},
    SettingInfo{
        "cores-per-task", "", read_cores_per_task,
        [](const S& s) { return s.cores_per_task ? std::to_string(*s.cores_per_task) : std::string(); },
        copy<&S::cores_per_task>},
    SettingInfo{"curve-secret", "", read_curve_secret, text<&S::curve_secret>, copy<&S::curve_secret>},
    SettingInfo{"interactive", "", [](std::string_view t, S& s) { return read_bool(t, s.interactive); },
                [](const S& s) { return write_bool(s.interactive); }, copy<&S::interactive>},
    SettingInfo{"log-level", "", read_log_level, [](const S& s) { return std::to_string(s.log_level); },
                copy<&S::log_level>},
    SettingInfo{"network-device", "FLUX_NETWORK_DEVICE", read_network_device, text<&S::network_device>,
                copy<&S::network_device>},
    SettingInfo{"num-proc-per-node", "", read_num_proc_per_node,
                [](const S& s) { return std::to_string(s.num_proc_per_node); }, copy<&S::num_proc_per_node>},
    SettingInfo{"pmi", "", read_pmi, text<&S::pmi>, copy<&S::pmi>},
    SettingInfo{"queue-policy", "FLUX_QUEUE_POLICY", read_queue_policy, text<&S::queue_policy>,
                copy<&S::queue_policy>},
    SettingInfo{"replicated-jobs", "", read_replicated_jobs, write_replicated_jobs,
                copy<&S::replicated_jobs>},
    SettingInfo{"run-options", "", read_run_options, text<&S::run_options>, copy<&S::run_options>},
    SettingInfo{"shm-size", "", read_shm_size, text<&S::shm_size>, copy<&S::shm_size>},
    SettingInfo{"topology", "", read_topology, text<&S::topology>, copy<&S::topology>},
    SettingInfo{"view-image", "FLUX_VIEW_IMAGE", read_view_image, text<&S::view_image>, copy<&S::view_image>},
};
static_assert(kTable.size() == kSettingCount);

} // namespace

std::span<const SettingInfo> setting_table() { return kTable; }

const SettingInfo* find_setting(std::string_view name) {
  const auto row = std::ranges::lower_bound(kTable, name, {}, &SettingInfo::name);
  return row != kTable.end() && row->name == name ? &*row : nullptr;
}

std::string annotation_field(std::string_view name) {
  return std::string("metadata.annotations[").append(kPrefix).append(name).append("]");
}

} // namespace fluxhook::flux
