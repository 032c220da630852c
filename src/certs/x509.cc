#include "certs/x509.h"

#include <arpa/inet.h>
#include <openssl/crypto.h>
#include <openssl/err.h>

#include <algorithm>
#include <array>
#include <ctime>

namespace fluxhook::certs {

namespace {

using NamesPtr = std::unique_ptr<GENERAL_NAMES, Freed<GENERAL_NAMES_free>>;

BioPtr reader_of(std::string_view text) {
  return BioPtr(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

std::string text_of(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return size <= 0 ? std::string() : std::string(data, static_cast<std::size_t>(size));
}

Time to_time(const ASN1_TIME* time) {
  std::tm parts{};
  const std::time_t seconds = ASN1_TIME_to_tm(time, &parts) == 1 ? timegm(&parts) : 0;
  return Time(std::chrono::seconds(seconds));
}

std::string address_text(const ASN1_OCTET_STRING* address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const int family = ASN1_STRING_length(address) == 4 ? AF_INET : AF_INET6;
  if (family == AF_INET6 && ASN1_STRING_length(address) != 16) return {};
  const char* const done = inet_ntop(family, ASN1_STRING_get0_data(address), text.data(), text.size());
  return done == nullptr ? std::string() : std::string(done);
}

std::vector<std::string> hosts_of(const X509* certificate) {
  const NamesPtr names(
      static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
  std::vector<std::string> hosts;
  for (int i = 0; i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const GENERAL_NAME* const name = sk_GENERAL_NAME_value(names.get(), i);
    if (name->type == GEN_DNS)
      hosts.emplace_back(reinterpret_cast<const char*>(ASN1_STRING_get0_data(name->d.dNSName)),
                         static_cast<std::size_t>(ASN1_STRING_length(name->d.dNSName)));
    if (name->type == GEN_IPADD) hosts.push_back(address_text(name->d.iPAddress));
  }
  std::ranges::sort(hosts);
  return hosts;
}

} // namespace

Result<std::vector<X509Ptr>> read_certificates(const std::string& pem) {
  ERR_clear_error();
  const BioPtr bio = reader_of(pem);
  std::vector<X509Ptr> certificates;
  while (X509* const one = PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr))
    certificates.emplace_back(one);
  const bool at_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  ERR_clear_error();
  if (!at_end) return fail("", "holds a broken certificate");
  if (certificates.empty()) return fail("", "holds no certificate in PEM");
  return certificates;
}

Result<KeyPtr> read_key(const KeyText& pem) {
  const BioPtr bio = reader_of(pem.text());
  // Without this OpenSSL would ask at the terminal for an encrypted key's passphrase.
  const auto no_passphrase = [](char*, int, int, void*) { return -1; };
  KeyPtr key(PEM_read_bio_PrivateKey(bio.get(), nullptr, no_passphrase, nullptr));
  ERR_clear_error();
  if (!key) return fail("", "holds no unencrypted private key in PEM");
  return key;
}

std::string to_pem(X509* certificate) {
  const BioPtr bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(bio.get(), certificate);
  return text_of(bio.get());
}

KeyText to_pem(EVP_PKEY* key) {
  const BioPtr bio(BIO_new(BIO_s_secmem()));
  PEM_write_bio_PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr);
  return KeyText(text_of(bio.get()));
}

Validity validity_of(const X509* certificate) {
  return {to_time(X509_get0_notBefore(certificate)), to_time(X509_get0_notAfter(certificate))};
}

bool is_ip(const std::string& host) {
  std::array<unsigned char, sizeof(in6_addr)> scrap{};
  return inet_pton(AF_INET, host.c_str(), scrap.data()) == 1 ||
         inet_pton(AF_INET6, host.c_str(), scrap.data()) == 1;
}

KeyText& KeyText::operator=(const KeyText& other) {
  if (this != &other) *this = KeyText(other);
  return *this;
}
KeyText& KeyText::operator=(KeyText&& other) noexcept {
  std::swap(text_, other.text_);
  return *this;
}
KeyText::~KeyText() { OPENSSL_cleanse(text_.data(), text_.size()); }

Result<Description> describe(const std::string& pem) {
  const auto read = read_certificates(pem);
  if (!read) return std::unexpected(read.error());
  X509* const first = read->front().get();
  return Description{validity_of(first), X509_check_ca(first) == 1, hosts_of(first)};
}

Result<std::vector<std::string>> split_certificates(const std::string& pem) {
  const auto read = read_certificates(pem);
  if (!read) return std::unexpected(read.error());
  std::vector<std::string> parts;
  std::ranges::transform(*read, std::back_inserter(parts),
                         [](const X509Ptr& one) { return to_pem(one.get()); });
  return parts;
}

Result<void> check_pair(const Pair& pair) {
  const auto certificates = read_certificates(pair.certificate);
  if (!certificates) return fail("the certificate", certificates.error().what);
  const auto key = read_key(pair.key);
  if (!key) return fail("the key", key.error().what);
  const bool match = X509_check_private_key(certificates->front().get(), key->get()) == 1;
  ERR_clear_error();
  if (!match) return fail("the key", "does not belong to the certificate");
  return {};
}

bool has_signed(const std::string& authority, const std::string& leaf) {
  const auto signer = read_certificates(authority), signed_one = read_certificates(leaf);
  if (!signer || !signed_one) return false;
  X509* const below = signed_one->front().get();
  const bool good = X509_check_issued(signer->front().get(), below) == X509_V_OK &&
                    X509_verify(below, X509_get0_pubkey(signer->front().get())) == 1;
  ERR_clear_error();
  return good;
}

} // namespace fluxhook::certs
