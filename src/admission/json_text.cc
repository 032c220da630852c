#include "json_text.h"

#include <modp_b64.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <array>
#include <format>
#include <iterator>

namespace fluxhook::admission {
namespace {

// RFC 8259, section 7.
bool must_escape(char c) {
  static constexpr auto kTable = [] {
    std::array<bool, 256> table{};
    for (unsigned i = 0; i < 0x20; ++i)
      table[i] = true;
    table['"'] = table['\\'] = true;
    return table;
  }();
  return kTable[static_cast<unsigned char>(c)];
}

void append_escaped(std::string& out, char c) {
  if (c == '"' || c == '\\') {
    out += '\\';
    out += c;
  } else {
    std::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned char>(c));
  }
}

} // namespace

JsonText& JsonText::text(std::string_view value) {
  out_ += '"';
  while (true) {
    // Not std::ranges::find_if: libstdc++ unrolls this one.
    const auto found = std::find_if(value.begin(), value.end(), must_escape);
    const auto plain = static_cast<std::size_t>(found - value.begin());
    out_.append(value, 0, plain);
    if (plain == value.size()) break;
    append_escaped(out_, value[plain]);
    value.remove_prefix(plain + 1);
  }
  out_ += '"';
  return *this;
}

JsonText& JsonText::copy(const Json& value) {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
  value.Accept(writer);
  return raw({buffer.GetString(), buffer.GetSize()});
}

JsonText& JsonText::base64(std::string_view bytes) {
  raw("\"");
  const auto at = out_.size();
  const std::size_t size = modp_b64_encode_strlen(bytes.size());
  // It ends what it writes with a NUL, which falls on the terminator that a string has anyway.
  out_.resize_and_overwrite(at + size, [&](char* data, std::size_t length) {
    modp_b64_encode(data + at, bytes.data(), bytes.size());
    return length;
  });
  return raw("\"");
}

} // namespace fluxhook::admission
