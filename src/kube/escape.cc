#include "kube/escape.h"

#include <format>

#include "fluxhook/base/ascii.h"

namespace fluxhook::kube {

std::string escaped(std::string_view text, std::string_view also) {
  std::string out;
  for (const char c : text) {
    const bool plain = is_alphanumeric(c) || std::string_view("-._~").contains(c) || also.contains(c);
    if (plain) out += c;
    else out += std::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

} // namespace fluxhook::kube
