/// Module certs: the certificates that an API server trusts a webhook by: making them, renewing them in a
/// Secret, and telling the webhook configurations whom to trust.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "fluxhook/base/result.h"

namespace fluxhook::certs {

using Time = std::chrono::sys_seconds; ///< of the wall clock

/// Now, in whole seconds.
[[nodiscard]] inline Time wall_clock() {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
}

/// "2026-01-02T03:04:05Z".
[[nodiscard]] std::string utc(Time time);

/// A private key's PEM text, overwritten when it goes.
class KeyText {
public:
  KeyText() = default;
  explicit KeyText(std::string text) : text_(std::move(text)) {}
  KeyText(const KeyText&) = default;
  KeyText(KeyText&&) = default;
  KeyText& operator=(const KeyText& other);
  KeyText& operator=(KeyText&& other) noexcept;
  ~KeyText();

  [[nodiscard]] const std::string& text() const { return text_; }
  bool operator==(const KeyText&) const = default;

private:
  std::string text_;
};

/// A certificate and its private key, PEM.
struct Pair {
  std::string certificate;
  KeyText key; ///< unencrypted

  bool operator==(const Pair&) const = default;
};

/// When a certificate counts, both ends included.
struct Validity {
  Time from, to;
};

inline constexpr std::chrono::hours kSkew{1};      ///< by which clocks may differ
inline constexpr std::chrono::days kLeafLife{365}; ///< of a serving certificate, unless it is told otherwise
inline constexpr std::chrono::days kAuthorityLife{3650}; ///< of a CA, likewise

/// From a little before `now`, since callers' clocks differ, until `life` after it.
[[nodiscard]] Validity valid_from(Time now, std::chrono::seconds life);

/// A new CA that signs itself: ECDSA P-256, a random serial of 127 bits (RFC 5280, 4.1.2.2), pathlen 0.
/// `common_name`: 1 to 64 bytes. Error: OpenSSL won't.
[[nodiscard]] Result<Pair> issue_authority(const std::string& common_name, const Validity& validity);

/// Whether a certificate can be for `hosts`, DNS names (also *.example.org) and IP addresses. Error: there is
/// none, or one that can stand in no certificate.
[[nodiscard]] Result<void> check_hosts(const std::vector<std::string>& hosts);

/// A new serving certificate of that CA for `hosts`; likewise ECDSA P-256. It ends with its CA at the latest.
/// Error: hosts that check_hosts() refuses; a CA that can't be used.
[[nodiscard]] Result<Pair> issue_leaf(const Pair& authority, const std::vector<std::string>& hosts,
                                      const Validity& validity);

/// What a certificate says.
struct Description {
  Validity validity;
  bool is_authority = false;
  std::vector<std::string> hosts; ///< DNS names and IP addresses among its alternative names, sorted
};

/// Of the first certificate in the text. Error: there is none that can be read.
[[nodiscard]] Result<Description> describe(const std::string& pem);

/// Each certificate in the text by itself, in order, without what stands around them. Error: one is broken,
/// or there is none.
[[nodiscard]] Result<std::vector<std::string>> split_certificates(const std::string& pem);

/// Whether the key is that of the (first) certificate, and both can be read. Error: which of them it is.
[[nodiscard]] Result<void> check_pair(const Pair& pair);

/// Whether the first certificate of `authority` has signed the first one of `leaf`.
[[nodiscard]] bool has_signed(const std::string& authority, const std::string& leaf);

} // namespace fluxhook::certs
