#include "fluxhook/flux/injected.h"

#include <nlohmann/json.hpp>

#include "fluxhook/base/version.h"
#include "fluxhook/flux/setting_table.h"

namespace fluxhook::flux {
namespace {

using namespace std::string_view_literals;
using nlohmann::json;

// Nearly every value is plain; what isn't is left to the library.
void append_json(std::string& out, std::string_view text) {
  const auto plain = [](char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; };
  if (std::ranges::all_of(text, plain)) {
    out += '"';
    out += text;
    out += '"';
  } else {
    out.append(json(text).dump());
  }
}

void append_settings(std::string& out, const Injected& injected, bool set_by_user) {
  bool first = true;
  for (std::size_t i = 0; i < kSettingCount; ++i) {
    const auto& row = setting_table()[i];
    if (injected.set[i] != set_by_user) continue;
    const auto value = row.write(injected.settings);
    if (value.empty() && !set_by_user) continue; // run-options can be set to nothing
    if (!first) out += ',';
    first = false;
    out += '"';
    out += row.name;
    out += "\":"sv;
    append_json(out, value);
  }
}

Result<void> read_settings(const json& object, bool set_by_user, Injected& out) {
  if (!object.is_object()) return fail({}, "must have the objects defaults and set");
  for (const auto& [name, value] : object.items()) {
    const auto* row = find_setting(name);
    if (row == nullptr && out.version != kVersion) continue; // a rollout: that version knows what it means
    if (row == nullptr || !value.is_string()) return fail(name, "is no setting with a text value");
    if (auto fault = row->read(value.get_ref<const std::string&>(), out.settings))
      return fail(name, fault->message());
    if (set_by_user) out.set.set(setting_index(*row));
  }
  return {};
}

} // namespace

std::string format_injected(const Injected& injected) {
  std::string out;
  out.reserve(512);
  out.append(R"({"defaults":{)");
  append_settings(out, injected, false);
  out.append(R"(},"set":{)");
  append_settings(out, injected, true);
  out.append(R"(},"version":)");
  append_json(out, injected.version);
  out.append("}");
  return out;
}

Result<Injected> parse_injected(std::string_view text) {
  const auto document = json::parse(text, nullptr, false);
  if (!document.is_object() || document.size() != 3 || !document.contains("defaults") ||
      !document.contains("set") || !document.contains("version") || !document["version"].is_string())
    return fail({}, "must be an object with defaults, set and version, as fluxhook writes it");
  Injected injected;
  injected.version = document["version"];
  if (auto read = read_settings(document["defaults"], false, injected); !read)
    return std::unexpected(read.error());
  if (auto read = read_settings(document["set"], true, injected); !read) return std::unexpected(read.error());
  return injected;
}

} // namespace fluxhook::flux
