#include "cli/progress.h"

#include <unistd.h>

#include <ostream>

namespace fluxhook::cli {

using namespace std::chrono_literals;

Progress::Progress(std::ostream& err)
    : err_(err), terminal_(::isatty(STDERR_FILENO) == 1), next_(Clock::now() + 1s) {}

Progress::~Progress() {
  if (shown_) err_ << "\r\033[K" << std::flush;
}

bool Progress::due() const { return terminal_ && Clock::now() >= next_; }

void Progress::show(const std::string& line) {
  next_ = Clock::now() + 250ms;
  shown_ = true;
  err_ << "\r" + line + "\033[K\r" << std::flush;
}

} // namespace fluxhook::cli
