/// Module base: what every other module stands on (results, notes, text, shell words, quantities, Z85 keys);
/// the standard library only.
#pragma once

#include <expected>
#include <string>
#include <utility>

namespace fluxhook {

/// Why something could not be done because of its input. `where` names the place (a field path, a file with
/// line and column, a byte offset; may be empty), `what` says what is wrong and what would be right.
struct Error {
  std::string where;
  std::string what;

  /// "where: what", or only `what` when the place is not known.
  [[nodiscard]] std::string text() const { return where.empty() ? what : where + ": " + what; }
};

/// A value, or the reason why there is none. Used for everything that can go wrong by input.
template <class T>
using Result = std::expected<T, Error>;

/// Shorthand for `return fail("where", "what")`.
[[nodiscard]] inline std::unexpected<Error> fail(std::string where, std::string what) {
  return std::unexpected(Error{std::move(where), std::move(what)});
}

} // namespace fluxhook
