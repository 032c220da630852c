#include "server/process.h"

#include <prometheus/metric_family.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <system_error>
#include <thread>

namespace fluxhook::server {

namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

MetricFamily figure(const char* name, const char* help, MetricType type, double value) {
  ClientMetric metric;
  (type == MetricType::Counter ? metric.counter.value : metric.gauge.value) = value;
  return {.name = name, .help = help, .type = type, .metric = {metric}};
}

/// The fields of /proc/self/stat from the third on (proc_pid_stat(5)); the second may hold blanks.
std::vector<double> process_stat() {
  std::ifstream file("/proc/self/stat");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::size_t end_of_name = text.rfind(')');
  if (end_of_name == text.npos || end_of_name + 4 > text.size()) return {};
  std::istringstream fields(text.substr(end_of_name + 4)); // past ") S "
  return {std::istream_iterator<double>(fields), {}};
}

double boot_time() {
  std::ifstream file("/proc/stat");
  for (std::string word; file >> word;) {
    double seconds = 0;
    if (word == "btime" && file >> seconds) return seconds;
  }
  return 0;
}

/// Of all threads. By the clock, since the ticks of /proc/self/stat are whole hundredths: a server that has
/// answered a few reviews would read as idle.
double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

double open_descriptors() {
  std::error_code error; // not ours to see where the process may not be dumped
  const std::filesystem::directory_iterator files("/proc/self/fd", error);
  return error ? 0 : static_cast<double>(std::distance(begin(files), end(files)));
}

double most_descriptors() {
  rlimit limit{};
  return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? static_cast<double>(limit.rlim_cur) : 0;
}

} // namespace

std::vector<MetricFamily> process_metrics() {
  // Where the fields stand, counted from the fourth of proc_pid_stat(5).
  constexpr std::size_t kThreads = 16, kStart = 18, kVirtual = 19, kResident = 20;
  const std::vector<double> stat = process_stat();
  if (stat.size() <= kResident) return {};
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  const auto page = static_cast<double>(sysconf(_SC_PAGESIZE));
  const auto kGauge = MetricType::Gauge;
  return {
      figure("process_cpu_seconds_total", "User and system CPU time spent.", MetricType::Counter,
             cpu_seconds()),
      figure("process_resident_memory_bytes", "Resident memory.", kGauge, stat[kResident] * page),
      figure("process_virtual_memory_bytes", "Virtual memory.", kGauge, stat[kVirtual]),
      figure("process_open_fds", "Open file descriptors.", kGauge, open_descriptors()),
      figure("process_max_fds", "Open file descriptors that it may have.", kGauge, most_descriptors()),
      figure("process_threads", "Threads.", kGauge, stat[kThreads]),
      figure("process_start_time_seconds", "When the process started, seconds since 1970.", kGauge,
             boot_time() + stat[kStart] / ticks),
  };
}

std::size_t usable_cores() {
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  double quota = 0;
  double period = 0;
  std::ifstream limit("/sys/fs/cgroup/cpu.max"); // "max 100000" or "50000 100000"
  if (!(limit >> quota >> period) || quota <= 0 || period <= 0) return cores;
  return std::clamp(static_cast<std::size_t>(quota / period + 0.999), std::size_t{1}, cores);
}

std::size_t raise_descriptor_limit(std::size_t wanted) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return wanted;
  if (limit.rlim_cur < wanted) {
    limit.rlim_cur = std::min<rlim_t>(wanted, limit.rlim_max);
    setrlimit(RLIMIT_NOFILE, &limit);
  }
  return std::min<std::size_t>(wanted, limit.rlim_cur);
}

} // namespace fluxhook::server
