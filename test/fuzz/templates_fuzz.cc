// The pods' files: whatever goes into them comes out of a shell's and a TOML reader's hands as it went in.
// Input: lines "WHAT VALUE", see Instance; in a value \n is a line feed, \0 a NUL and \\ a backslash.
#include <nlohmann/json.hpp>
#include <toml++/toml.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <deque>

#include "fluxhook/flux/quote.h"
#include "fluxhook/flux/render.h"
#include "fluxhook/flux/templates.h"
#include "fuzz.h"
#include "shell_words.h"

namespace fluxhook::fuzz {
namespace {

using flux::RenderInput;
using Words = std::vector<std::string>;

std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) out += text[i];
    else if (text[++i] == 'n') out += '\n';
    else if (text[i] == '0') out += '\0';
    else out += text[i];
  }
  return out;
}

std::int64_t number(std::string_view text) {
  std::int64_t value = 1;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// From 1 on, as a setting has it.
std::int32_t count(std::string_view text) {
  return static_cast<std::int32_t>(std::abs(number(text) % 1024)) + 1;
}

/// What an input says, and what it borrows from.
class Instance {
public:
  explicit Instance(const std::string& input) {
    render.jobset_name = "js";
    render.name_space = "default";
    render.subdomain = "js";
    for (std::string line : lines_of(input)) {
      const std::string what = take_word(line);
      take(what, unescaped(line));
    }
    if (jobs_.empty()) take("job", "node 1 2");
    for (std::size_t i = 0; i < jobs_.size(); ++i)
      render.members.push_back({&jobs_[i], &jobs_[i].job.pod.spec.containers.front(), i, 0});
  }

  RenderInput render;

private:
  void take(const std::string& what, std::string value) {
    flux::Settings& settings = render.settings;
    const std::array<std::pair<std::string_view, std::string*>, 13> texts{
        {{"jobset", &render.jobset_name},
         {"namespace", &render.name_space},
         {"subdomain", &render.subdomain},
         {"domain", &render.cluster_domain},
         {"key", &render.public_key},
         {"view", &settings.view_image},
         {"device", &settings.network_device},
         {"policy", &settings.queue_policy},
         {"pmi", &settings.pmi},
         {"options", &settings.run_options},
         {"topology", &settings.topology},
         {"timeout", &settings.connect_timeout},
         {"secret", &settings.curve_secret}}};
    const auto text = std::ranges::find(texts, what, [](const auto& pair) { return pair.first; });
    if (text != texts.end()) *text->second = std::move(value);
    else if (what == "procs") settings.num_proc_per_node = count(value);
    else if (what == "cores") settings.cores_per_task = count(value);
    else if (what == "interactive") settings.interactive = true;
    else if (what == "job") take_job(std::move(value));
    else if (!jobs_.empty()) take_of_job(what, std::move(value));
  }

  /// "NAME REPLICAS PODS"
  void take_job(std::string value) {
    auto& job = jobs_.emplace_back();
    auto& container = job.job.pod.spec.containers.emplace_back();
    container.name = "main";
    container.command = {"app"};
    job.name = texts_.emplace_back(take_word(value));
    job.replicas = number(take_word(value));
    job.job.parallelism = number(value);
  }

  void take_of_job(const std::string& what, std::string value) {
    auto& pod = jobs_.back().job.pod.spec;
    auto& container = pod.containers.front();
    if (what == "cpu") container.limits.push_back({"cpu", std::move(value)});
    else if (what == "gpu") container.limits.push_back({"nvidia.com/gpu", std::move(value)});
    else if (what == "grace") pod.termination_grace_seconds = number(value);
    else if (what == "host") pod.host_network = true;
    else if (what == "env") {
      if (!container.env) container.env.emplace();
      container.env->push_back({.name = texts_.emplace_back(std::move(value)),
                                .value = {},
                                .source = k8s::EnvVar::Source::kFieldRef});
    }
  }

  std::deque<k8s::ReplicatedJob> jobs_;
  std::deque<std::string> texts_;
};

void check_syntax(const std::string& script) {
  std::FILE* const shell = ::popen("sh -n", "w");
  require(shell != nullptr, "there is a shell");
  const bool written = std::fwrite(script.data(), 1, script.size(), shell) == script.size();
  require(::pclose(shell) == 0 && written, "a shell can read the script", script);
}

void check_scripts(const RenderInput& input, const flux::Files& files) {
  const auto& settings = input.settings;
  const auto entry = read_back(flux::templates().entrypoint_sh, files.at("entrypoint.sh"));
  const auto is = [&](const char* name, const std::string& value) {
    require(entry.at(name) == Words{value}, "a value is the word that a shell reads", name);
  };
  is("LEAD", input.jobset_name + "-" + std::string(input.members.front().job->name) + "-0-0");
  is("PMI", settings.pmi);
  is("CONNECT_TIMEOUT", settings.connect_timeout);
  is("JOBSET", input.jobset_name);
  is("CURVE_SECRET",
     settings.curve_secret.empty() ? input.jobset_name + "-flux-curve" : settings.curve_secret);
  is("PUBLIC_KEY", input.public_key);
  for (const auto& name : entry.at("POD_ENV"))
    require(!name.empty() && name.find_first_of("\n=") == name.npos, "a variable's name is a line", name);
  for (const auto* name : {"NODES", "CORES", "GRACE", "LOG_LEVEL"})
    require(number(entry.at(name).at(0)) >= 0 && entry.at(name).size() == 1, "a number is one", name);
  const Words run = read_back(flux::templates().job_sh, files.at("job.sh")).at("RUN");
  require(run.at(0).starts_with("-N") && run.at(1).starts_with("-n"), "flux run has nodes and tasks first");
}

void check_broker(const RenderInput& input, const std::string& text) {
  try {
    const toml::table broker = toml::parse(text);
    const auto value = [&](const char* path) { return broker.at_path(path).value<std::string>().value(); };
    const auto& settings = input.settings;
    require(value("bootstrap.default_connect") == "tcp://%h." + input.subdomain + "." + input.name_space +
                                                      ".svc." + input.cluster_domain + ":%p",
            "brokers connect by name", text);
    require(value("sched-fluxion-qmanager.queue-policy") == settings.queue_policy,
            "the policy is the setting", text);
    require(settings.topology.empty() || value("tbon.topo") == settings.topology,
            "the topology is the setting", text);
    require(value("bootstrap.curve_cert") == "/mnt/flux/config/curve.cert" && broker.size() == 6,
            "nothing broke out", text);
    std::string bind = value("bootstrap.default_bind");
    for (std::size_t at = bind.find("%%"); at != bind.npos; at = bind.find("%%", at + 1))
      bind.erase(at, 1); // as Flux reads it
    require(bind == "tcp://*:%p" || bind == "tcp://" + settings.network_device + ":%p",
            "it binds to the device", text);
    require(!broker.at_path("bootstrap.hosts").as_array()->empty(), "there are hosts", text);
  } catch (const std::exception& fault) { // toml::parse_error, or a value that is not there
    require(false, fault.what(), text);
  }
}

void check_r(const RenderInput& input, const std::string& text) {
  const auto r = nlohmann::json::parse(text, nullptr, false);
  require(!r.is_discarded() && r["version"] == 1, "R is JSON", text);
  std::int64_t pods = 0;
  for (const flux::Member& member : input.members)
    pods += member.job->replicas * member.job->pods();
  const std::string last = r["execution"]["R_lite"].back()["rank"];
  require(number(last.substr(last.rfind('-') + 1)) == pods - 1, "the last rank is the last pod", text);
}

/// Values that hold no more than their language: words of a shell, strings of TOML.
void check_quotes(const std::string& text) {
  if (const auto word = flux::quote_shell(text)) {
    std::string_view rest = *word;
    require(take_shell_word(rest) == text && rest.empty(), "a shell reads the word as it was", *word);
  }
  if (const auto quoted = flux::quote_toml(text)) {
    try {
      const toml::table table = toml::parse("x = " + *quoted);
      require(table.size() == 1 && table["x"].value<std::string>() == text, "TOML has the string as it was",
              *quoted);
    } catch (const toml::parse_error& fault) {
      require(false, fault.what(), *quoted);
    }
  }
}

} // namespace
} // namespace fluxhook::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fluxhook::fuzz;
  const std::string text = text_of(data, size);
  check_quotes(text);
  const Instance instance(text);
  const auto files = fluxhook::flux::render_files(instance.render);
  if (!files) {
    require(!files.error().what.empty(), "a refusal says why");
    return 0;
  }
  check_scripts(instance.render, *files);
  check_broker(instance.render, files->at("broker.toml"));
  check_r(instance.render, files->at("R"));
  if (is_chosen(text, 2000))
    for (const auto* name : {"init.sh", "entrypoint.sh", "job.sh"})
      check_syntax(files->at(name));
  return 0;
}
