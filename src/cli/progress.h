#pragma once

#include <chrono>
#include <iosfwd>
#include <string>

namespace fluxhook::cli {

/// Says on a terminal, a few times a second, how far work has come that takes more than a second; nothing in
/// a pipe. What is shown next overwrites it, and it is gone with this.
class Progress {
public:
  /// `err`: standard error.
  explicit Progress(std::ostream& err);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Whether it is time to show something; to be asked often.
  [[nodiscard]] bool due() const;
  void show(const std::string& line);

private:
  using Clock = std::chrono::steady_clock;

  std::ostream& err_;
  bool terminal_, shown_ = false;
  Clock::time_point next_;
};

} // namespace fluxhook::cli
