#pragma once

#include <string>
#include <vector>

#include "cli/certs_files.h"
#include "cli/commands.h"

namespace fluxhook::cli {

// One declaration a subcommand of `fluxhook certs`, as in commands.h.

void add_certs_issue(CLI::App& certs, Context& context);
void add_certs_secret(CLI::App& certs, Context& context);
void add_certs_ca_bundle(CLI::App& certs, Context& context);

/// --dns, --days and --ca-days.
void add_issuing(CLI::App& command, std::vector<std::string>& hosts, Lifetimes& lifetimes);

} // namespace fluxhook::cli
