#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fluxhook/base/result.h"
#include "fluxhook/certs/issue.h"
#include "fluxhook/files/fd.h"

namespace fluxhook::cli {

/// How long new certificates are valid, in days; 0: as long as `fluxhook serve` makes its own.
struct Lifetimes {
  int days = 0, ca_days = 0;
};

/// A CA and a certificate of it.
struct Issued {
  certs::Pair authority, serving;
};

/// A new serving certificate, of `authority` or else of a new CA, valid from now on.
/// Error: a name that can stand in no certificate, a CA that is expired or can't be used.
[[nodiscard]] Result<Issued> issue(const std::vector<std::string>& hosts, const Lifetimes& lifetimes,
                                   const std::optional<certs::Pair>& authority = {});

/// What a folder of certificates has: ca.crt and ca.key.
/// None: neither is there. Error: one of them alone, or what can't be read or doesn't belong together.
[[nodiscard]] Result<std::optional<certs::Pair>> read_authority(const std::string& folder);

/// Makes the folder if need be, and waits for whoever else issues into it, until the result is destroyed.
/// Error: it can't be made or opened.
[[nodiscard]] Result<files::Fd> lock_folder(const std::string& folder);

/// Writes files into a folder: keys (*.key) for their owner alone. Either all of
/// them take their places or, unless the machine fails between two renames, none does.
struct NamedText {
  std::string name;
  const std::string* text;
};
[[nodiscard]] Result<void> write_certificate_files(const std::string& folder,
                                                   const std::vector<NamedText>& files);

} // namespace fluxhook::cli
