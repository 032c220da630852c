// Kubeconfigs: each is taken, or refused in one line that names the file.
// Input: the file's text.
#include <sys/mman.h>
#include <unistd.h>

#include "fluxhook/base/text.h"
#include "fluxhook/kube/config.h"
#include "fuzz.h"
#include "kube/kubeconfig_file.h"
#include "kube/server_url.h"

namespace fluxhook::fuzz {
namespace {

/// A file in memory that is written anew for each input.
class MemoryFile {
public:
  MemoryFile()
      : file_(::memfd_create("kubeconfig", MFD_CLOEXEC)), path_("/proc/self/fd/" + std::to_string(file_)) {
    require(file_ >= 0, "there are files in memory");
  }
  ~MemoryFile() { ::close(file_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  void write(const std::string& text) const {
    const bool cut = ::ftruncate(file_, 0) == 0;
    const auto written = ::pwrite(file_, text.data(), text.size(), 0);
    require(cut && written == static_cast<ssize_t>(text.size()), "a file in memory can be written");
  }
  [[nodiscard]] const std::string& path() const { return path_; }

private:
  int file_;
  std::string path_;
};

void check_error(const Error& error, const std::string& path) {
  require(error.where.starts_with(path), "a fault names the file", error.text());
  require(!error.what.empty() && printable(error.text()) == error.text(), "a fault is one printable line",
          error.text());
}

void check(const std::string& path) {
  kube::ConfigSource source{
      .kubeconfig = path, .context = {}, .environment = [](const char*) { return std::string(); }};
  source.service_account = "/nonexistent";
  const auto config = kube::load_config(source);
  if (!config) return check_error(config.error(), path);
  require(kube::parse_server_url(config->server).has_value(), "the server's URL can be used", config->server);
  require(config->client_certificate.text.empty() == config->client_key.text.empty(),
          "a client certificate and its key are there together");
  require(!config->exec || !config->exec->command.empty(), "a plugin has a command");
  require(!config->name_space.empty() && config->name_space.size() <= 63, "a namespace is a name",
          config->name_space);
  // A context that is asked for by its name is the same as the current one.
  const auto files = kube::read_kubeconfig({path});
  require(files.has_value(), "the same file is read again");
  source.context = files->current_context;
  const auto again = kube::load_config(source);
  require(again && again->server == config->server && again->name_space == config->name_space &&
              again->token == config->token,
          "the current context is the one of its name", files->current_context);
}

} // namespace
} // namespace fluxhook::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fluxhook::fuzz::MemoryFile file;
  file.write(fluxhook::fuzz::text_of(data, size));
  fluxhook::fuzz::check(file.path());
  return 0;
}
