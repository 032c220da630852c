#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "fluxhook/base/result.h"
#include "fluxhook/files/fd.h"

namespace fluxhook::files {

/// A file beside the one that it is to replace, readable by its owner alone; gone with this unless it took
/// its place. What fails leaves the reason in errno.
class StagedFile {
public:
  /// Makes an empty file PATH.XXXXXX; where that can't be, write() is false.
  explicit StagedFile(std::string path);
  ~StagedFile();
  StagedFile(const StagedFile&) = delete;
  StagedFile& operator=(const StagedFile&) = delete;

  [[nodiscard]] bool write(std::string_view content); ///< on to the disk
  [[nodiscard]] bool set_mode(mode_t mode);           ///< permission bits, as chmod(2) takes them
  /// Takes on the mode of the file that is there, and its owner and group where this process may give them.
  [[nodiscard]] bool take_after();
  [[nodiscard]] bool place(); ///< renames it to PATH

private:
  std::string path_, name_;
  Fd file_;
  bool placed_ = false;
};

/// Replaces a file's content at once: readers see the old one or the new one, also after a crash. Its mode
/// stays, its owner and group where this process may give them, and a symbolic link still leads to it;
/// another hard link keeps the old content. Error: it is no regular file, or can't be replaced; what was
/// there still is.
[[nodiscard]] Result<void> replace_file(const std::string& path, std::string_view content);

} // namespace fluxhook::files
