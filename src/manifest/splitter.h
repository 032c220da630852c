#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <optional>
#include <string>

namespace fluxhook::manifest {

/// A part of a stream: one YAML document, or JSON texts.
struct Piece {
  std::string text;       ///< as it stands there; a CR alone is a LF
  std::uint32_t line = 1; ///< of the first line in the stream
  bool marked = false;    ///< a byte order mark stood before it
};

/// Cuts a stream before each line that starts with `---`, which YAML allows in no value. Holds one piece, and
/// never more than is allowed.
class Splitter {
public:
  Splitter(std::istream& in, std::size_t most) : in_(in), most_(most) {}

  /// The next piece; none at the end, when the stream fails (failed()), and when it goes on past `most` bytes
  /// (too_large()).
  [[nodiscard]] std::optional<Piece> next();
  [[nodiscard]] bool too_large() const { return read_ > most_; }
  [[nodiscard]] bool failed() const { return in_.bad(); }

private:
  bool read_line();
  bool get_line();

  std::istream& in_;
  const std::size_t most_;
  std::size_t read_ = 0; ///< bytes so far
  std::string line_;     ///< read ahead, with its line end
  bool have_line_ = false;
  bool started_ = false, marked_ = false;
  std::uint32_t number_ = 1; ///< of line_
};

} // namespace fluxhook::manifest
