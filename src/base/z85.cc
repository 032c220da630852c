#include "fluxhook/base/z85.h"

namespace fluxhook {

namespace {

constexpr std::string_view kAlphabet =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";
constexpr std::size_t kBytes = 4; // become
constexpr std::size_t kCharacters = 5;

} // namespace

std::string z85_encode(const Key& key) {
  std::string text(key.size() / kBytes * kCharacters, '\0');
  for (std::size_t group = 0; group < key.size() / kBytes; ++group) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < kBytes; ++i)
      value = value << 8 | key[group * kBytes + i];
    for (std::size_t i = kCharacters; i-- > 0; value /= 85)
      text[group * kCharacters + i] = kAlphabet[value % 85];
  }
  return text;
}

std::optional<Key> z85_decode(std::string_view text) {
  Key key{};
  if (text.size() != key.size() / kBytes * kCharacters) return std::nullopt;
  for (std::size_t group = 0; group < key.size() / kBytes; ++group) {
    std::uint64_t value = 0;
    for (char c : text.substr(group * kCharacters, kCharacters)) {
      const std::size_t digit = kAlphabet.find(c);
      if (digit == std::string_view::npos) return std::nullopt;
      value = value * 85 + digit;
    }
    if (value > UINT32_MAX) // five characters hold a little more than four bytes
      return std::nullopt;
    for (std::size_t i = kBytes; i-- > 0; value >>= 8)
      key[group * kBytes + i] = static_cast<std::uint8_t>(value & 0xff);
  }
  return key;
}

} // namespace fluxhook
