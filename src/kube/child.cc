#include "kube/child.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <format>

#include "fluxhook/files/fd.h"

namespace fluxhook::kube {

namespace {

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  all.reserve(texts.size() + 1);
  for (std::string& text : texts)
    all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

/// Starts it with its output at `out`; the error number otherwise.
int start(std::vector<std::string> command, std::vector<std::string> variables, bool terminal, int out,
          pid_t& pid) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  if (!terminal) posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  sigset_t none, ignored;
  sigemptyset(&none);
  sigemptyset(&ignored);
  for (const int signal : {SIGPIPE, SIGXFSZ}) // this process ignores them, which a child would inherit
    sigaddset(&ignored, signal);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &ignored);
  // A group of its own, so that all that it starts can be ended with it; at a terminal it has to stay in
  // ours.
  const int group = terminal ? 0 : POSIX_SPAWN_SETPGROUP;
  posix_spawnattr_setflags(&attributes,
                           static_cast<short>(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | group));
  const int fault = ::posix_spawnp(&pid, command.front().c_str(), &actions, &attributes,
                                   pointers(command).data(), pointers(variables).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return fault;
}

/// Reads to the end of the output; false: stopped, or too much.
bool collect(int from, std::size_t most, const std::stop_token& stop, std::string& output) {
  std::array<char, 4096> buffer;
  while (!stop.stop_requested() && output.size() <= most) {
    pollfd ready{from, POLLIN, 0};
    constexpr int kLook = 100; // milliseconds between two looks at `stop`
    if (::poll(&ready, 1, kLook) <= 0) continue;
    const ssize_t size = ::read(from, buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return true;
    output.append(buffer.data(), static_cast<std::size_t>(size));
  }
  return false;
}

int wait_for(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

} // namespace

std::map<std::string, std::string> own_environment() {
  std::map<std::string, std::string> variables;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string text(*variable);
    const std::size_t equals = text.find('=');
    if (equals != text.npos) variables.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return variables;
}

Result<Finished> run_child(const std::vector<std::string>& command,
                           const std::map<std::string, std::string>& environment, bool terminal,
                           std::size_t most, const std::stop_token& stop) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return fail(command.front(), std::strerror(errno));
  files::Fd from(ends[0]), to(ends[1]);
  std::vector<std::string> variables;
  variables.reserve(environment.size());
  for (const auto& [name, value] : environment)
    variables.push_back(std::format("{}={}", name, value));
  pid_t pid = 0;
  const int fault = start(command, std::move(variables), terminal, to.get(), pid);
  to.reset(); // so that the output ends with the child
  if (fault != 0) return fail(command.front(), std::format("can't be run: {}", std::strerror(fault)));
  Finished finished;
  const bool whole = collect(from.get(), most, stop, finished.output);
  from.reset();
  if (!whole) ::kill(terminal ? pid : -pid, SIGKILL);
  finished.exit_code = wait_for(pid);
  if (whole) return finished;
  return fail(command.front(),
              stop.stop_requested() ? "was stopped" : std::format("wrote more than {} bytes", most));
}

} // namespace fluxhook::kube
