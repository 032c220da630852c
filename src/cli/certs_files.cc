#include "cli/certs_files.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <deque>
#include <filesystem>
#include <utility>

#include "fluxhook/files/read.h"
#include "fluxhook/files/write.h"

namespace fluxhook::cli {

namespace {

std::chrono::days days_or(int days, std::chrono::days otherwise) {
  return days == 0 ? otherwise : std::chrono::days(days);
}

} // namespace

Result<Issued> issue(const std::vector<std::string>& hosts, const Lifetimes& lifetimes,
                     const std::optional<certs::Pair>& authority) {
  const auto now = certs::wall_clock();
  Issued issued;
  if (authority) {
    const auto described = certs::describe(authority->certificate);
    if (!described || !described->is_authority) return fail("ca.crt", "is no certificate of a CA");
    if (described->validity.to <= now) return fail("ca.crt", "is expired: begin with a new folder");
    issued.authority = *authority;
  } else {
    auto made =
        certs::issue_authority("fluxhook CA " + certs::utc(now),
                               certs::valid_from(now, days_or(lifetimes.ca_days, certs::kAuthorityLife)));
    if (!made) return std::unexpected(made.error());
    issued.authority = std::move(*made);
  }
  auto leaf = certs::issue_leaf(issued.authority, hosts,
                                certs::valid_from(now, days_or(lifetimes.days, certs::kLeafLife)));
  if (!leaf) return std::unexpected(leaf.error());
  issued.serving = std::move(*leaf);
  return issued;
}

Result<std::optional<certs::Pair>> read_authority(const std::string& folder) {
  const std::string certificate = folder + "/ca.crt", key = folder + "/ca.key";
  const bool has_certificate = std::filesystem::exists(certificate), has_key = std::filesystem::exists(key);
  if (!has_certificate && !has_key) return std::nullopt;
  if (!has_key) return fail(folder, "has a ca.crt without its ca.key, which could issue nothing");
  if (!has_certificate) return fail(folder, "has a ca.key without its ca.crt");
  const auto certificate_text = files::read_small(certificate);
  if (!certificate_text) return std::unexpected(certificate_text.error());
  auto key_text = files::read_small(key);
  if (!key_text) return std::unexpected(key_text.error());
  certs::Pair pair{*certificate_text, certs::KeyText(std::move(*key_text))};
  if (const auto checked = certs::check_pair(pair); !checked)
    return fail(folder, "its CA can't be used: " + checked.error().text());
  return pair;
}

Result<files::Fd> lock_folder(const std::string& folder) {
  std::error_code fault;
  std::filesystem::create_directories(folder, fault);
  if (fault) return fail(folder, fault.message());
  files::Fd lock(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!lock) return fail(folder, std::strerror(errno));
  while (::flock(lock.get(), LOCK_EX) != 0 && errno == EINTR)
    ; // any other failure: a file system without locks
  return lock;
}

Result<void> write_certificate_files(const std::string& folder, const std::vector<NamedText>& files) {
  std::deque<files::StagedFile> staged;
  for (const NamedText& file : files) {
    auto& copy = staged.emplace_back(folder + "/" + file.name);
    if (!copy.write(*file.text) || !copy.set_mode(file.name.ends_with(".key") ? 0600 : 0644))
      return fail(folder + "/" + file.name, std::string("can't be written: ") + std::strerror(errno));
  }
  for (files::StagedFile& file : staged)
    if (!file.place()) return fail(folder, std::string("can't be written: ") + std::strerror(errno));
  return {};
}

} // namespace fluxhook::cli
