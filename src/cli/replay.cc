#include <algorithm>
#include <format>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/config_file.h"
#include "cli/input.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/replay_report.h"
#include "cli/replay_reviews.h"
#include "fluxhook/base/text.h"
#include "fluxhook/certs/issue.h"
#include "fluxhook/files/read.h"
#include "fluxhook/kube/client.h"

namespace fluxhook::cli {

namespace {

struct ReplayFlags {
  std::vector<std::string> paths;
  std::string url, ca, cert, key, server_name, expect, output = "text";
  LoadOptions load;
  unsigned timeout = 10;
};

constexpr std::size_t kMostTimes = 1'000'000'000, kMostConnections = 10'000;
constexpr unsigned kMostTimeout = 30; ///< timeoutSeconds of a webhook (admissionregistration.k8s.io/v1)

Result<void> read_pem(const std::string& path, kube::Pem& into) {
  if (path.empty()) return {};
  auto text = files::read_small(path);
  if (!text) return std::unexpected(text.error());
  into = {std::move(*text), path};
  return {};
}

/// https://HOST[:PORT][/PATH], in its two parts.
Result<void> read_url(const std::string& url, LoadOptions& options) {
  constexpr std::string_view kScheme = "https://";
  if (!url.starts_with(kScheme) || url.find_first_of("?#@ ") != url.npos)
    return fail("--server", fluxhook::in_quotes(url) + ": must be https://HOST[:PORT][/PATH]");
  const std::size_t slash = std::min(url.find('/', kScheme.size()), url.size());
  options.server.server = url.substr(0, slash);
  options.path = slash + 1 < url.size() ? url.substr(slash) : "/mutate";
  return {};
}

Result<void> prepare(ReplayFlags& flags) {
  LoadOptions& options = flags.load;
  if (flags.url.empty()) return fail({}, "--server is needed: the webhook's URL");
  if (auto read = read_url(flags.url, options); !read) return read;
  if (flags.cert.empty() != flags.key.empty()) return fail({}, "--cert and --key need each other");
  options.server.origin = "--server";
  options.server.ca_hint = flags.ca.empty() ? "--ca names its CA, where the system does not trust it"
                                            : "is --ca that of this server?";
  options.server.tls_server_name = flags.server_name;
  options.timeout = std::chrono::seconds(flags.timeout);
  if (auto read = read_pem(flags.ca, options.server.ca); !read) return read;
  if (!flags.ca.empty() && !certs::split_certificates(options.server.ca.text))
    return fail(flags.ca, "has no certificate, PEM");
  if (auto read = read_pem(flags.cert, options.server.client_certificate); !read) return read;
  if (auto read = read_pem(flags.key, options.server.client_key); !read) return read;
  const auto client = kube::Client::open(options.server);
  if (!client) return std::unexpected(client.error());
  return {};
}

kube::ApiResult<Load> send_with_progress(std::span<const Recorded> reviews, LoadOptions options,
                                         Context& context) {
  Progress progress(context.err);
  options.progress = [&progress](std::size_t done, std::size_t all) {
    if (progress.due()) progress.show(std::format("replay: {} of {} requests", done, all));
  };
  return send_load(reviews, options);
}

void replay(ReplayFlags& flags, Context& context) {
  if (const auto ready = prepare(flags); !ready) return context.fail(ready.error().text());
  if (!has_paths(flags.paths, context)) return;
  const auto reviews = read_reviews(flags.paths, flags.expect, context);
  if (!reviews) return;
  const auto load = send_with_progress(*reviews, flags.load, context);
  if (!load) return context.fail(load.error().text(), kUnreachable);
  context.out << (flags.output == "json" ? load_json(*reviews, *load, flags.load)
                                         : load_text(*reviews, *load, flags.load, !flags.expect.empty()));
  context.exit = load->different > 0 ? kFindings : kDone;
}

void add_server(CLI::App& command, ReplayFlags& flags) {
  command.add_option("--server", flags.url, "The webhook; without a path: /mutate")->type_name("URL");
  command.add_option("--ca", flags.ca, "Who vouches for its certificate; else whom the system trusts")
      ->type_name("FILE");
  command
      .add_option("--tls-server-name", flags.server_name,
                  "Name that its certificate is for, if not the URL's")
      ->type_name("NAME");
  command.add_option("--cert", flags.cert, "A client's certificate, PEM")->type_name("FILE");
  command.add_option("--key", flags.key, "Its private key, PEM")->type_name("FILE");
  command.add_option("--timeout", flags.timeout, "Seconds that an answer may take")
      ->check(CLI::Range(1U, kMostTimeout).description(""))
      ->type_name("N")
      ->capture_default_str();
}

} // namespace

void add_replay(CLI::App& app, Context& context) {
  CLI::App& command =
      *app.add_subcommand("replay", "Send recorded reviews to a server, check and time the answers");
  auto flags = std::make_shared<ReplayFlags>();
  command.add_option("PATH", flags->paths, "AdmissionReviews: files, folders, or - for stdin")->type_name("");
  add_server(command, *flags);
  command.add_option("-n,--times", flags->load.times, "How often each review is sent")
      ->check(CLI::Range(std::size_t{1}, kMostTimes).description(""))
      ->type_name("N")
      ->capture_default_str();
  command.add_option("-c,--connections", flags->load.connections, "Requests at the same time")
      ->check(CLI::Range(std::size_t{1}, kMostConnections).description(""))
      ->type_name("N")
      ->capture_default_str();
  command.add_option("--expect", flags->expect, "Answers to compare with, in files of the reviews' names")
      ->type_name("DIR");
  one_of(command.add_option("-o,--output", flags->output, "Format"), "text|json")->capture_default_str();
  command.footer("`fluxhook mutate -o json reviews/a.json > expect/a.json` makes an expected answer.\n"
                 "Examples:\n"
                 "  fluxhook replay reviews/ --expect expect/ --server https://localhost:9443 --ca ca.pem\n"
                 "  fluxhook replay review.json -n 10000 -c 8 --server https://localhost:9443 --ca ca.pem");
  command.callback([&command, &context, flags] {
    if (apply_config(command, context)) replay(*flags, context);
  });
}

} // namespace fluxhook::cli
