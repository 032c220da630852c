#include <malloc.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <chrono>
#include <csignal>
#include <initializer_list>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/config_file.h"
#include "cli/controller_flags.h"
#include "cli/defaults_flags.h"
#include "cli/serve_certificates.h"
#include "fluxhook/base/text.h"
#include "fluxhook/base/version.h"
#include "fluxhook/server/server.h"

namespace fluxhook::cli {

namespace {

struct ServeFlags {
  server::Options options;
  flux::Defaults defaults;
  bool self_managed = false;
  ControllerFlags cluster;
};

/// Why the flags can't be taken together; "" when they can.
using Fault = std::string;

/// 10s, 500ms, 2m; 0 needs no unit.
std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) {
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  const std::string_view unit(end, text.data() + text.size());
  if (error != std::errc() || count < 0 || count > 1'000'000) return std::nullopt;
  if (unit == "ms" || (unit.empty() && count == 0)) return std::chrono::milliseconds(count);
  if (unit == "s") return std::chrono::seconds(count);
  if (unit == "m") return std::chrono::minutes(count);
  return std::nullopt;
}

void add_address(CLI::App& app, const char* name, server::Address& into, const char* about) {
  const auto read = [name, &into](const std::string& text) {
    auto address = server::parse_address(text);
    if (!address) throw CLI::ValidationError(name, address.error().text());
    into = std::move(*address);
  };
  app.add_option_function<std::string>(name, read, about)->default_str(into.text())->type_name("HOST:PORT");
}

void add_listening(CLI::App& app, server::Options& options) {
  add_address(app, "--listen", options.listen, "Where reviews come in; port 0 picks one");
  const auto read_metrics = [&options](const std::string& text) {
    options.metrics = text != "off";
    if (!options.metrics) return;
    auto address = server::parse_address(text);
    if (!address) throw CLI::ValidationError("--metrics-listen", address.error().text() + ", or off");
    options.metrics_listen = std::move(*address);
  };
  app.add_option_function<std::string>("--metrics-listen", read_metrics,
                                       "Where /metrics is served; off: nowhere")
      ->default_str(options.metrics_listen.text())
      ->type_name("HOST:PORT|off");
}

void add_tls(CLI::App& app, ServeFlags& flags) {
  constexpr auto kGroup = "TLS: one of --tls-cert with --tls-key, --tls-self-managed and --tls-ephemeral";
  server::Options& options = flags.options;
  const auto add_file = [&](const char* name, std::string& into, const char* about) {
    app.add_option(name, into, about)
        ->type_name("FILE")
        ->group(kGroup)
        ->check(
            [](const std::string& path) {
              return path.empty() ? std::string("must name a file") : std::string();
            },
            "", "");
  };
  add_file("--tls-cert", options.cert_file, "Certificate chain, PEM; read again when it changes");
  add_file("--tls-key", options.key_file, "Its private key, PEM");
  app.add_flag("--tls-self-managed", flags.self_managed, "Keep CA and certificate in a Secret")
      ->group(kGroup);
  app.add_flag("--tls-ephemeral", options.ephemeral,
               "Make a CA and a certificate for localhost, to try things")
      ->group(kGroup);
  add_file("--ca-out", options.ca_out, "Where to write the ephemeral CA's certificate");
  add_file("--client-ca", options.client_ca_file,
           "Take reviews only from callers with a certificate of this CA");
  app.add_option("--client-name", options.client_names, "… and with one of these names, as CN or DNS name")
      ->check([](const std::string& name) { return name.empty() ? "must be a name" : ""; }, "", "")
      ->type_name("NAME")
      ->group(kGroup);
}

void add_limits(CLI::App& app, server::Options& options) {
  constexpr auto kGroup = "Limits";
  app.add_option("--max-connections", options.max_connections, "Connections; past it they are closed at once")
      ->check(CLI::Range(1, 1'000'000).description(""))
      ->capture_default_str()
      ->type_name("N")
      ->group(kGroup);
  app.add_option("--threads", options.threads, "Reviews decided at once; 0: as many as there are cores")
      ->check(CLI::Range(0, 1024).description(""))
      ->capture_default_str()
      ->type_name("N")
      ->group(kGroup);
  const auto read = [&options](const std::string& text) {
    const auto duration = parse_duration(text);
    if (!duration)
      throw CLI::ValidationError("--drain-timeout",
                                 fluxhook::in_quotes(text) + ": must be a duration such as 10s or 500ms");
    options.drain_timeout = *duration;
    options.drain_accept = *duration / 2;
  };
  app.add_option_function<std::string>("--drain-timeout", read,
                                       "Between SIGTERM and the end; half of it new "
                                       "connections are still taken")
      ->default_str("10s")
      ->type_name("DURATION")
      ->group(kGroup);
}

Fault check_tls(const ServeFlags& flags) {
  const server::Options& options = flags.options;
  const bool files = !options.cert_file.empty() || !options.key_file.empty();
  const int sources = int{files} + int{flags.self_managed} + int{options.ephemeral};
  if (sources == 0)
    return "a certificate is needed: --tls-cert with --tls-key, --tls-self-managed or --tls-ephemeral";
  if (sources > 1)
    return "--tls-cert with --tls-key, --tls-self-managed and --tls-ephemeral exclude each other";
  if (files && options.key_file.empty()) return "--tls-cert needs --tls-key";
  if (files && options.cert_file.empty()) return "--tls-key needs --tls-cert";
  if (!options.ca_out.empty() && !options.ephemeral) return "--ca-out needs --tls-ephemeral";
  if (!options.client_names.empty() && options.client_ca_file.empty())
    return "--client-name needs --client-ca";
  return {};
}

sigset_t signal_set(std::initializer_list<int> signals) {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : signals)
    sigaddset(&set, signal);
  return set;
}

/// A second signal ends the process at once; by a handler, since PID 1 has no default action.
void end_at_next_signal() {
  struct sigaction action{};
  action.sa_handler = [](int signal) { ::_exit(128 + signal); };
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGINT, &action, nullptr);
  const sigset_t signals = signal_set({SIGTERM, SIGINT});
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

/// Returns when the server is to stop.
void obey(const sigset_t& signals, server::Server& server, CertificateCare* certificate) {
  int signal = 0;
  while (sigwait(&signals, &signal) != 0 || signal == SIGHUP) {
    if (signal != SIGHUP) continue;
    server.reload();
    if (certificate != nullptr) certificate->look_again();
  }
}

/// Memory that threads free is given back, or found again by the others: glibc would keep a heap for each
/// core, and would keep large bodies once it has seen some.
void keep_memory_small() {
  mallopt(M_ARENA_MAX, 2);
  mallopt(M_MMAP_THRESHOLD, 256 << 10);
}

/// What the server and the controller have together.
struct Running {
  std::optional<companion::ControllerOptions> controller_options;
  std::unique_ptr<companion::Controller> controller;
  std::atomic<const companion::Controller*> metrics_of{nullptr}; ///< null until it runs
  std::unique_ptr<server::Server> server;       ///< behind those: its metrics ask the controller
  std::unique_ptr<CertificateCare> certificate; ///< the last: it tells the server of its certificate
};

/// Who looks after the certificate in the cluster; null: nobody, since nothing leads there, or it is for
/// localhost.
Result<std::unique_ptr<CertificateCare>> open_care(ServeFlags& flags, const kube::Config& cluster) {
  server::Options& options = flags.options;
  const bool observed = flags.cluster.on() && !options.cert_file.empty();
  if (!flags.self_managed && !observed) return nullptr;
  options.given = flags.self_managed;
  if (observed) options.doubt = "the webhook configurations are still to be asked whether they trust it";
  return CertificateCare::open(
      observed ? CertificateCare::Work::kObserve : CertificateCare::Work::kKeep, cluster,
      {flags.cluster.name, cluster.name_space, flags.defaults.cluster_domain}, options.log);
}

Result<void> start(ServeFlags& flags, Running& running) {
  server::Options& options = flags.options;
  kube::Config cluster;
  if (flags.cluster.on() || flags.self_managed) {
    auto config = cluster_config(flags.cluster);
    if (!config) return std::unexpected(config.error());
    cluster = std::move(*config);
  }
  if (flags.cluster.on()) {
    auto prepared = controller_options(flags.cluster, cluster, flags.defaults, options.log);
    if (!prepared) return std::unexpected(prepared.error());
    running.controller_options = std::move(*prepared);
    options.more_metrics = [&running] {
      const companion::Controller* const controller = running.metrics_of;
      return metrics_text(controller == nullptr ? companion::Figures() : controller->figures());
    };
  }
  auto care = open_care(flags, cluster);
  if (!care) return std::unexpected(care.error());
  running.certificate = std::move(*care);
  auto server = server::Server::start(
      options, [&defaults = flags.defaults](std::string& body, admission::Webhook webhook) {
        return admission::review(body, webhook, defaults);
      });
  if (!server) return std::unexpected(server.error());
  running.server = std::move(*server);
  if (running.certificate) running.certificate->start(*running.server);
  if (!running.controller_options) return {};
  auto controller = companion::Controller::start(std::move(*running.controller_options));
  if (!controller) return std::unexpected(controller.error());
  running.controller = std::move(*controller);
  running.metrics_of = running.controller.get();
  return {};
}

void serve(ServeFlags& flags, Context& context) {
  keep_memory_small();
  const auto level = server::parse_log_level(context.log_level);
  if (!level) return context.fail(level.error().text());
  const auto format = context.log_format == "json" ? server::LogFormat::kJson : server::LogFormat::kText;
  const auto log = std::make_shared<const server::Log>(format, *level);
  flags.options.log = log;

  const sigset_t signals = signal_set({SIGTERM, SIGINT, SIGHUP});
  pthread_sigmask(SIG_BLOCK, &signals, nullptr); // before there are threads: all of them inherit it
  Running running;
  if (const auto started = start(flags, running); !started) return context.fail(started.error().text());
  const std::string metrics = flags.options.metrics ? running.server->metrics_address().text() : "off";
  log->announce("listening", {{"https", running.server->address().text()},
                              {"metrics", metrics},
                              {"controller", running.controller ? "on" : "off"},
                              {"version", kVersion}});

  obey(signals, *running.server, running.certificate.get());
  end_at_next_signal();
  if (running.controller) running.controller->begin_stop(); // the Lease goes while reviews are still answered
  running.server->stop();
}

} // namespace

void add_serve(CLI::App& app, Context& context) {
  CLI::App& command = *app.add_subcommand("serve", "The HTTPS admission webhook, mutating and validating");
  auto flags = std::make_shared<ServeFlags>();
  add_listening(command, flags->options);
  add_tls(command, *flags);
  add_controller(command, flags->cluster);
  add_limits(command, flags->options);
  add_defaults(command, flags->defaults);
  command.footer(
      "SIGTERM and SIGINT drain and stop it, SIGHUP looks at the certificate again.\n"
      "Examples:\n"
      "  fluxhook serve --tls-cert /certs/tls.crt --tls-key /certs/tls.key\n"
      "  fluxhook serve --listen 127.0.0.1:0 --metrics-listen off --tls-ephemeral --ca-out ca.pem");
  command.callback([&command, &context, flags] {
    if (!apply_config(command, context)) return;
    if (const Fault fault = check_tls(*flags); !fault.empty()) return context.fail(fault);
    if (const Fault fault = check_controller(flags->cluster, flags->self_managed); !fault.empty())
      return context.fail(fault);
    serve(*flags, context);
  });
}

} // namespace fluxhook::cli
