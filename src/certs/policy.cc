#include "fluxhook/certs/policy.h"

#include <algorithm>
#include <format>
#include <optional>

#include "certs/x509.h"
#include "fluxhook/base/text.h"

namespace fluxhook::certs {

namespace {

/// Why a certificate has to be renewed by its times; "" when it needn't.
std::string out_of_time(const Validity& validity, Time now) {
  if (now < validity.from) return "is not valid yet";
  if (now > validity.to) return "is expired";
  if (now - validity.from >= (validity.to - validity.from) * 2 / 3)
    return "has two thirds of its life behind it";
  return {};
}

Pair authority_of(const Record& record) { return {record.authorities, record.authority_key}; }

std::optional<Decision> decide_authority(const Record& record, Time now) {
  if (record.authorities.empty() && record.authority_key.text().empty())
    return Decision{Step::kAuthority, "there is no CA yet", !record.serving.certificate.empty()};
  if (const auto checked = check_pair(authority_of(record)); !checked)
    return Decision{Step::kAuthority, "the CA can't be used: " + checked.error().text(), true};
  const auto described = describe(record.authorities);
  if (!described->is_authority) return Decision{Step::kAuthority, "what ca.crt holds is no CA", true};
  if (const std::string why = out_of_time(described->validity, now); !why.empty())
    return Decision{Step::kAuthority, "the CA " + why};
  return {};
}

} // namespace

Decision decide(const Record& record, const std::vector<std::string>& names, Time now) {
  if (auto authority = decide_authority(record, now)) return *authority;
  if (const auto checked = check_pair(record.serving); !checked)
    return {Step::kLeaf, "the serving certificate can't be used: " + checked.error().text(), true};
  if (!has_signed(record.authorities, record.serving.certificate))
    return {Step::kLeaf, "the serving certificate is not of this CA", true};
  const auto leaf = describe(record.serving.certificate);
  std::vector<std::string> wanted = names;
  std::ranges::sort(wanted);
  if (leaf->hosts != wanted)
    return {Step::kLeaf, std::format("the serving certificate is for {}, not for {}", joined(leaf->hosts),
                                     joined(wanted))};
  if (const std::string why = out_of_time(leaf->validity, now); !why.empty())
    return {Step::kLeaf, "the serving certificate " + why};
  return {};
}

Result<Record> renew(const Record& record, Step step, const std::vector<std::string>& names, Time now) {
  Record renewed = record;
  if (step == Step::kAuthority) {
    const auto authority = issue_authority("fluxhook CA " + utc(now), valid_from(now, kAuthorityLife));
    if (!authority) return std::unexpected(authority.error());
    renewed.authorities = authority->certificate + trusted(record, now);
    renewed.authority_key = authority->key;
  }
  auto leaf = issue_leaf(authority_of(renewed), names, valid_from(now, kLeafLife));
  if (!leaf) return std::unexpected(leaf.error());
  renewed.serving = std::move(*leaf);
  return renewed;
}

std::string trusted(const Record& record, Time now) {
  const auto certificates = read_certificates(record.authorities);
  if (!certificates) return {};
  std::string all;
  std::optional<Time> successor; ///< when the one after this came
  for (const X509Ptr& certificate : *certificates) {
    const Validity validity = validity_of(certificate.get());
    const bool over = successor && now > *successor + 2 * kSkew + kLeafLife;
    successor = validity.from;
    if (X509_check_ca(certificate.get()) == 1 && now <= validity.to && !over)
      all += to_pem(certificate.get());
  }
  return all;
}

std::vector<std::string> service_names(const std::string& name, const std::string& name_space,
                                       const std::string& cluster_domain) {
  const std::string qualified = name + "." + name_space;
  return {qualified + ".svc", qualified + ".svc." + cluster_domain, qualified, name};
}

} // namespace fluxhook::certs
