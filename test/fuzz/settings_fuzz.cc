// Settings: each annotation's text, and the record of an injection, which is somebody's input like any other.
// Input: lines "SETTING VALUE"; and, as a whole, the annotation `injected`.
#include "fluxhook/flux/injected.h"
#include "fluxhook/flux/setting_table.h"
#include "fuzz.h"

namespace fluxhook::fuzz {
namespace {

using flux::Injected;
using flux::SettingInfo;
using flux::Settings;

constexpr std::size_t kMessage = 4096;

/// Reads one setting into `injected`; what is refused leaves it alone.
void read(const SettingInfo& row, std::string_view text, Injected& injected) {
  Settings settings = injected.settings;
  if (const auto fault = row.read(text, settings)) {
    require(settings == injected.settings, "a refused value changes nothing", text);
    const std::string message = fault->message();
    require(message.size() < kMessage && !fault->detail.empty(),
            "a refusal is short and says what would be right", message);
    require(message.find_first_of("\n\r") == message.npos, "a refusal is one line", message);
    return;
  }
  const std::string written = row.write(settings);
  Settings again;
  row.copy(settings, again);
  require(row.write(again) == written, "a copy is the same", text);
  if (!written.empty()) {
    require(!row.read(written, again), "what is written can be read", written);
    require(row.write(again) == written, "and reads as the same", written);
  }
  injected.settings = settings;
  injected.set.set(flux::setting_index(row));
}

void check_record(const Injected& injected) {
  const std::string text = flux::format_injected(injected);
  const auto again = flux::parse_injected(text);
  require(again.has_value(), "a record that is written can be read", text);
  require(again->settings == injected.settings && again->set == injected.set &&
              again->version == injected.version,
          "and reads as the same", text);
}

} // namespace
} // namespace fluxhook::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fluxhook;
  const std::string text = fuzz::text_of(data, size);
  flux::Injected injected{.version = "1.2.3", .settings = {}, .set = {}};
  for (std::string line : fuzz::lines_of(text)) {
    const auto* const row = flux::find_setting(fuzz::take_word(line));
    if (row != nullptr) fuzz::read(*row, line, injected);
  }
  fuzz::check_record(injected);
  if (const auto record = flux::parse_injected(text)) fuzz::check_record(*record);
  else fuzz::require(!record.error().what.empty(), "a refusal says why");
  return 0;
}
