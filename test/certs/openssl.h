#pragma once

#include <cstdio>
#include <stdexcept>
#include <string>

#include "kube/temporary.h"

namespace fluxhook::certs::test {

using kube::test::Temporary;

/// What OpenSSL's command line prints, both streams; "FAILED: " before it when its exit code is not 0.
inline std::string openssl(const std::string& arguments) {
  std::FILE* const pipe = ::popen(("openssl " + arguments + " 2>&1 </dev/null").c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("no openssl");
  std::string text;
  for (int c = 0; (c = std::fgetc(pipe)) != EOF;)
    text += static_cast<char>(c);
  return ::pclose(pipe) == 0 ? text : "FAILED: " + text;
}

/// `openssl x509 -noout ARGUMENTS` of a PEM text.
inline std::string show(const std::string& pem, const std::string& arguments) {
  const Temporary folder;
  return openssl("x509 -noout -in " + folder.write("c.pem", pem) + " " + arguments);
}

/// What `openssl verify` says of a leaf, with certificates to trust: "OK" or its complaint.
inline std::string verify(const std::string& trusted, const std::string& leaf,
                          const std::string& arguments = "") {
  const Temporary folder;
  const std::string file = folder.write("leaf.pem", leaf);
  const std::string said = openssl("verify -x509_strict -purpose sslserver -CAfile " +
                                   folder.write("ca.pem", trusted) + " " + arguments + " " + file);
  return said == file + ": OK\n" ? "OK" : said;
}

} // namespace fluxhook::certs::test
