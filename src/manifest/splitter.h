#pragma once

#include <cstdint>
#include <istream>
#include <optional>
#include <string>

namespace fluxhook::manifest {

/// A part of a stream: one YAML document, or JSON texts.
struct Piece {
  std::string text;       ///< lines end in \n alone
  std::uint32_t line = 1; ///< of the first line in the stream
};

/// Cuts a stream before each line that starts with `---`, which YAML allows in no value. Holds one piece.
class Splitter {
public:
  explicit Splitter(std::istream& in) : in_(in) {}

  /// The next piece; none at the end, and when the stream fails (failed()).
  [[nodiscard]] std::optional<Piece> next();
  [[nodiscard]] bool failed() const { return in_.bad(); }

private:
  bool read_line();

  std::istream& in_;
  std::string line_; ///< read ahead, with its line end
  bool have_line_ = false;
  bool started_ = false;
  std::uint32_t number_ = 1; ///< of line_
};

} // namespace fluxhook::manifest
