#include <memory>
#include <ostream>
#include <string>

#include <CLI/CLI.hpp>

#include "cli/cluster.h"
#include "cli/commands.h"
#include "cli/config_file.h"
#include "cli/doctor_checks.h"
#include "cli/doctor_report.h"
#include "cli/options.h"
#include "fluxhook/flux/settings.h"
#include "fluxhook/k8s/names.h"

namespace fluxhook::cli {

namespace {

struct DoctorFlags {
  ClusterFlags cluster;
  std::string name_space, name = "fluxhook", label{flux::kInjectLabel}, output = "text";
};

void doctor(const DoctorFlags& flags, Context& context) {
  const auto client = open_cluster(flags.cluster, context);
  if (!client) return;
  if (const auto version = client->get("/version"); !version) return report(version.error(), context);
  Patient patient{.client = *client,
                  .name = flags.name,
                  .try_in = flags.name_space.empty() ? client->config().name_space : flags.name_space,
                  .label = flags.label,
                  .name_space = {},
                  .deployed = {}};
  Findings findings;
  check_jobset(patient, findings);
  check_configurations(patient, findings);
  check_certificate(patient, findings);
  check_pods(patient, findings);
  check_injection(patient, findings);
  check_lease(patient, findings);
  check_key(patient, findings);
  check_rights(patient, findings);
  context.out << (flags.output == "json" ? findings_json(findings) : findings_text(findings));
  context.exit = has_failed(findings) ? kFindings : kDone;
}

} // namespace

void add_doctor(CLI::App& app, Context& context) {
  CLI::App& command = *app.add_subcommand("doctor", "Prove an installation, with a dry run of a JobSet");
  auto flags = std::make_shared<DoctorFlags>();
  command.add_option("--namespace", flags->name_space, "Where JobSets are tried; else the context's")
      ->type_name("NAME");
  command.add_option("--name", flags->name, "Of the Service, both webhook configurations and the Lease")
      ->check([](const std::string& name) { return k8s::check_dns1035_label(name); }, "", "")
      ->type_name("NAME")
      ->capture_default_str();
  command.add_option("--label", flags->label, "Label key that selects a JobSet")
      ->type_name("KEY")
      ->capture_default_str();
  one_of(command.add_option("-o,--output", flags->output, "Format"), "text|json")->capture_default_str();
  add_cluster(command, flags->cluster);
  command.footer(
      "Nothing is changed: a JobSet is created as a dry run only. What may not be read is passed over.\n"
      "Examples:\n"
      "  fluxhook doctor --namespace my-namespace\n"
      "  fluxhook doctor --context staging -o json");
  command.callback([&command, &context, flags] {
    if (apply_config(command, context)) doctor(*flags, context);
  });
}

} // namespace fluxhook::cli
