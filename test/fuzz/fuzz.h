#pragma once

#include <concepts>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

/// What a target defines: it is called with one input after another. Returns 0.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace fluxhook::fuzz {

/// Ends the program: a property does not hold. The fuzzer then keeps the input.
[[noreturn]] inline void fail_property(std::string_view property, std::string_view detail) {
  std::fprintf(stderr, "fuzz: this does not hold: %.*s\n%.*s\n", static_cast<int>(property.size()),
               property.data(), static_cast<int>(detail.size()), detail.data());
  std::abort();
}

/// Ends the program unless a property holds.
inline void require(bool holds, std::string_view property, std::string_view detail = {}) {
  if (!holds) fail_property(property, detail);
}

/// The same, where telling the detail takes time.
template <std::invocable Tell>
void require(bool holds, std::string_view property, const Tell& tell) {
  if (!holds) fail_property(property, tell());
}

inline std::string text_of(const std::uint8_t* data, std::size_t size) { return {data, data + size}; }

/// The lines of an input, as `\n` separates them; the last one may be empty.
inline std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  for (;;) {
    const std::size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    if (end == text.npos) return lines;
    text.remove_prefix(end + 1);
  }
}

/// The part of `line` before its first blank; `line` is then what stands behind it.
inline std::string take_word(std::string& line) {
  const std::size_t end = line.find(' ');
  std::string word = line.substr(0, end);
  line.erase(0, end == line.npos ? end : end + 1);
  return word;
}

/// Whether to do what is too slow for each input: for one in `one_in`, chosen by its content, so that an
/// input does the same each time; for all of them in a corpus's test.
inline bool is_chosen([[maybe_unused]] std::string_view input, [[maybe_unused]] std::size_t one_in) {
#ifdef FLUXHOOK_FUZZ_REPLAY
  return true;
#else
  return std::hash<std::string_view>()(input) % one_in == 0;
#endif
}

} // namespace fluxhook::fuzz
