#include "cli/certs.h"

#include <filesystem>
#include <format>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/config_file.h"

namespace fluxhook::cli {

namespace {

constexpr int kMostDays = 36500;

struct IssueFlags {
  std::vector<std::string> hosts;
  Lifetimes lifetimes;
  std::string out;
};

void issue_files(const IssueFlags& flags, Context& context) {
  if (flags.hosts.empty()) return context.fail("--dns is needed: a name that the server is called by");
  if (flags.out.empty()) return context.fail("--out is needed: the folder for the files");
  if (const auto checked = certs::check_hosts(flags.hosts); !checked) // before there is a folder
    return context.fail(checked.error().text());
  const auto lock = lock_folder(flags.out);
  if (!lock) return context.report(lock.error());
  const auto kept = read_authority(flags.out);
  if (!kept) return context.report(kept.error());
  if (*kept && flags.lifetimes.ca_days != 0)
    return context.fail("--ca-days: " + flags.out + " has a CA already, which is kept as it is");
  for (const char* name : {"tls.crt", "tls.key"})
    if (!*kept && std::filesystem::exists(std::filesystem::path(flags.out) / name))
      return context.fail(
          std::format("{}/{} is there, and no CA that has issued it: not overwritten", flags.out, name));
  const auto issued = issue(flags.hosts, flags.lifetimes, *kept);
  if (!issued) return context.fail(issued.error().text());
  std::vector<NamedText> files;
  if (!*kept) {
    files.push_back({"ca.key", &issued->authority.key.text()});
    files.push_back({"ca.crt", &issued->authority.certificate});
  }
  files.push_back({"tls.key", &issued->serving.key.text()});
  files.push_back({"tls.crt", &issued->serving.certificate});
  if (const auto written = write_certificate_files(flags.out, files); !written)
    return context.report(written.error());
  const auto end = certs::describe(issued->serving.certificate)->validity.to;
  context.tell(std::format("{}: {} and a certificate of it, valid until {:%Y-%m-%d}", flags.out,
                           *kept ? "the CA that was there" : "a new CA", end));
}

} // namespace

void add_issuing(CLI::App& command, std::vector<std::string>& hosts, Lifetimes& lifetimes) {
  command.add_option("--dns", hosts, "A name, or an IP address, that the server is called by; several times")
      ->type_name("NAME");
  command.add_option("--days", lifetimes.days, "Days that the certificate is valid (365)")
      ->check(CLI::Range(1, kMostDays).description(""))
      ->type_name("N");
  command.add_option("--ca-days", lifetimes.ca_days, "Days that a new CA is valid (3650)")
      ->check(CLI::Range(1, kMostDays).description(""))
      ->type_name("N");
}

void add_certs_issue(CLI::App& certs, Context& context) {
  CLI::App& command = *certs.add_subcommand("issue", "Make a CA and a serving certificate as files");
  auto flags = std::make_shared<IssueFlags>();
  add_issuing(command, flags->hosts, flags->lifetimes);
  command.add_option("--out", flags->out, "Folder for ca.crt, ca.key, tls.crt and tls.key")->type_name("DIR");
  command.footer(
      "A CA that is in the folder is kept, and issues a new tls.crt and tls.key: so a certificate is "
      "renewed.\nNothing else is overwritten.\n"
      "Example:\n"
      "  fluxhook certs issue --dns fluxhook.fluxhook-system.svc --out certs");
  command.callback([&command, &context, flags] {
    if (apply_config(command, context)) issue_files(*flags, context);
  });
}

void add_certs(CLI::App& app, Context& context) {
  CLI::App& command =
      *app.add_subcommand("certs", "Certificates: make them, put them into a Secret, be trusted");
  command.require_subcommand(1);
  command.footer("fluxhook certs SUBCOMMAND --help says more.\nExamples:\n"
                 "  fluxhook certs issue --dns fluxhook.fluxhook-system.svc --out certs\n"
                 "  fluxhook certs ca-bundle --ca certs/ca.crt --patch");
  add_certs_issue(command, context);
  add_certs_secret(command, context);
  add_certs_ca_bundle(command, context);
}

} // namespace fluxhook::cli
