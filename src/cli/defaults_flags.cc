#include "cli/defaults_flags.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

#include "fluxhook/base/ascii.h"
#include "fluxhook/flux/setting_table.h"
#include "fluxhook/k8s/names.h"

namespace fluxhook::cli {

namespace {

using namespace std::string_view_literals;

struct DefaultFlag {
  std::string_view setting; ///< as in the setting table; the flag is --default-<setting>
  const char* about;
  const char* values = ""; ///< words to choose from: a|b
};

// What a cluster's administrator decides. The other settings say something about one JobSet.
constexpr std::array kDefaultFlags{
    DefaultFlag{"view-image", "Image that carries Flux, or none"},
    DefaultFlag{"network-device", "Interface that brokers bind to"},
    DefaultFlag{"queue-policy", "How the queue is scheduled", "fcfs|easy|conservative|hybrid"},
    DefaultFlag{"pmi", "What flux run -o pmi= takes, or auto"},
    DefaultFlag{"topology", "What tbon.topo takes; empty: by size"},
    DefaultFlag{"connect-timeout", "Between brokers, a Flux duration"},
    DefaultFlag{"log-level", "Of brokers, 0 to 7"},
    DefaultFlag{"shm-size", "Size limit of /dev/shm, a quantity"},
    DefaultFlag{"affinity", "Spread brokers over nodes", "true|false"},
};

constexpr auto kGroup = "Defaults, as the server has them";

/// Takes the text by the function that reads the annotation.
void add_setting(CLI::App& app, flux::Settings& settings, const DefaultFlag& flag) {
  const flux::SettingInfo* setting = flux::find_setting(flag.setting);
  if (setting == nullptr) std::abort(); // a misspelt row above
  const auto read = [&settings, setting](const std::string& text) {
    const flux::Settings built_in;
    if (text.empty() && setting->write(built_in).empty()) return setting->copy(built_in, settings);
    const flux::SettingFault fault = setting->read(text, settings);
    if (fault) throw CLI::ValidationError("--default-" + std::string(setting->name), fault->message());
  };
  app.add_option_function<std::string>("--default-" + std::string(flag.setting), read, flag.about)
      ->default_str(setting->write(settings))
      ->type_name(flag.values)
      ->group(kGroup);
}

/// A check for CLI11 from a naming rule that says what is wrong, or "".
auto check(std::string (*rule)(std::string_view)) {
  return [rule](const std::string& text) {
    const std::string fault = rule(text);
    return fault.empty() ? fault : k8s::invalid({}, text, fault).message();
  };
}

/// A label key: [prefix/]name (k8s.io/apimachinery, pkg/util/validation: IsQualifiedName).
std::string check_label_key(std::string_view key) {
  const std::size_t slash = key.find('/');
  const std::string_view name = slash == key.npos ? key : key.substr(slash + 1);
  if (slash != key.npos) {
    if (std::string fault = k8s::check_dns1123_subdomain(key.substr(0, slash)); !fault.empty()) {
      return "prefix part " + fault;
    }
  }
  if (name.empty() || name.size() > k8s::kLabelLength) return "name part must have 1 to 63 characters";
  const bool clean =
      std::ranges::all_of(name, [](char c) { return is_alphanumeric(c) || "-_."sv.contains(c); });
  if (clean && is_alphanumeric(name.front()) && is_alphanumeric(name.back())) return {};
  return "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
         "alphanumeric character";
}

} // namespace

void add_defaults(CLI::App& app, flux::Defaults& defaults) {
  app.add_option("--label", defaults.label, "Label key that selects a JobSet")
      ->check(check(check_label_key))
      ->capture_default_str()
      ->type_name("KEY")
      ->group(kGroup);
  app.add_option("--cluster-domain", defaults.cluster_domain, "DNS domain of the cluster")
      ->check(check(k8s::check_dns1123_subdomain))
      ->capture_default_str()
      ->type_name("DOMAIN")
      ->group(kGroup);
  for (const DefaultFlag& flag : kDefaultFlags)
    add_setting(app, defaults.settings, flag);
}

} // namespace fluxhook::cli
