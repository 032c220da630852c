#include "cli/write_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

namespace fluxhook::cli {
namespace {

/// A file beside another one, removed again unless it takes its place.
class Replacement {
public:
  explicit Replacement(const std::string& beside)
      : name_(beside + ".XXXXXX"), file_(::mkostemp(name_.data(), O_CLOEXEC)) {}
  Replacement(const Replacement&) = delete;
  Replacement& operator=(const Replacement&) = delete;
  ~Replacement() {
    if (file_ < 0) return;
    ::close(file_);
    if (!placed_) ::unlink(name_.c_str());
  }

  bool write(std::string_view content) {
    if (file_ < 0) return false;
    while (!content.empty()) {
      const ssize_t count = ::write(file_, content.data(), content.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return false;
      content.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }

  bool place(const std::string& path) {
    struct stat status{};
    if (::stat(path.c_str(), &status) != 0) return false;
    // Root keeps the owner; others at least the group, where it is one of theirs. It comes before the mode,
    // of which it would clear set-uid bits.
    constexpr auto kSame = static_cast<uid_t>(-1);
    if (::fchown(file_, status.st_uid, status.st_gid) != 0 && ::fchown(file_, kSame, status.st_gid) != 0 &&
        errno != EPERM)
      return false;
    if (::fchmod(file_, status.st_mode) != 0) return false;
    placed_ = ::fsync(file_) == 0 && ::rename(name_.c_str(), path.c_str()) == 0;
    return placed_;
  }

private:
  std::string name_;
  int file_;
  bool placed_ = false;
};

} // namespace

Result<void> replace_file(const std::string& path, std::string_view content) {
  std::error_code fault;
  const std::string target = std::filesystem::canonical(path, fault).string();
  if (fault) return fail(path, fault.message());
  if (!std::filesystem::is_regular_file(target, fault)) return fail(path, "is no regular file");
  Replacement replacement(target);
  if (replacement.write(content) && replacement.place(target)) return {};
  return fail(path, std::string("can't be replaced: ") + std::strerror(errno));
}

} // namespace fluxhook::cli
