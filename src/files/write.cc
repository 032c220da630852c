#include "fluxhook/files/write.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

namespace fluxhook::files {

StagedFile::StagedFile(std::string path)
    : path_(std::move(path)), name_(path_ + ".XXXXXX"), file_(::mkostemp(name_.data(), O_CLOEXEC)) {}

StagedFile::~StagedFile() {
  if (file_ && !placed_) ::unlink(name_.c_str());
}

bool StagedFile::write(std::string_view content) {
  if (!file_) return false;
  while (!content.empty()) {
    const ssize_t count = ::write(file_.get(), content.data(), content.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    content.remove_prefix(static_cast<std::size_t>(count));
  }
  return ::fsync(file_.get()) == 0;
}

bool StagedFile::set_mode(mode_t mode) { return ::fchmod(file_.get(), mode) == 0; }

bool StagedFile::take_after() {
  struct stat status{};
  if (::stat(path_.c_str(), &status) != 0) return false;
  // Root keeps the owner; others at least the group, where it is one of theirs. It comes before the mode, of
  // which it would clear set-uid bits.
  constexpr auto kSame = static_cast<uid_t>(-1);
  if (::fchown(file_.get(), status.st_uid, status.st_gid) != 0 &&
      ::fchown(file_.get(), kSame, status.st_gid) != 0 && errno != EPERM)
    return false;
  return set_mode(status.st_mode);
}

bool StagedFile::place() {
  placed_ = ::rename(name_.c_str(), path_.c_str()) == 0;
  return placed_;
}

Result<void> replace_file(const std::string& path, std::string_view content) {
  std::error_code fault;
  const std::string target = std::filesystem::canonical(path, fault).string();
  if (fault) return fail(path, fault.message());
  if (!std::filesystem::is_regular_file(target, fault)) return fail(path, "is no regular file");
  StagedFile staged(target);
  if (staged.write(content) && staged.take_after() && staged.place()) return {};
  return fail(path, std::string("can't be replaced: ") + std::strerror(errno));
}

} // namespace fluxhook::files
