#include "json_text.h"

#include <modp_b64.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>

namespace fluxhook::admission {

JsonText& JsonText::text(std::string_view value) {
  const auto plain = [](char c) { return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\'; };
  if (std::ranges::all_of(value, plain)) return raw("\"").raw(value).raw("\"");
  return copy(Json(rapidjson::StringRef(value.data(), static_cast<rapidjson::SizeType>(value.size()))));
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
