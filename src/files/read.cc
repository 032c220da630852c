#include "fluxhook/files/read.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "fluxhook/files/fd.h"

namespace fluxhook::files {

namespace {

std::unexpected<Error> unreadable(const std::string& path) {
  return fail(path, std::string("can't be read: ") + std::strerror(errno));
}

} // namespace

Result<std::string> read_small(const std::string& path) {
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)); // open() of a pipe would wait
  struct stat status{};
  if (!file || ::fstat(file.get(), &status) != 0) return unreadable(path);
  if (!S_ISREG(status.st_mode)) return fail(path, "is no regular file");
  // One byte more than it should have, to see that it has no more.
  std::string text(std::min(static_cast<std::size_t>(status.st_size), kMostOfSmall) + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t done = ::read(file.get(), text.data() + size, text.size() - size);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return unreadable(path);
    if (done == 0) break;
    size += static_cast<std::size_t>(done);
  }
  if (size > kMostOfSmall) return fail(path, "is larger than 1 MiB: no certificate, key or token is");
  if (size == text.size()) return fail(path, "grew while it was read");
  if (size == 0) return fail(path, "is empty");
  text.resize(size);
  return text;
}

} // namespace fluxhook::files
