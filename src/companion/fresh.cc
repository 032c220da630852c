#include "companion/fresh.h"

namespace fluxhook::companion {

void Fresh::put(const std::string& key, std::string_view json, Time now) {
  drop(key);
  if (json.size() > kMost - bytes_) return;
  bytes_ += json.size();
  told_.insert_or_assign(key, Told{std::string(json), now});
}

void Fresh::drop(const std::string& key) {
  const auto told = told_.extract(key);
  if (told) bytes_ -= told.mapped().json.size();
}

std::string Fresh::take(const std::string& key, Time now) {
  auto told = told_.extract(key);
  if (!told) return {};
  bytes_ -= told.mapped().json.size();
  return now - told.mapped().at <= kFor ? std::move(told.mapped().json) : std::string();
}

} // namespace fluxhook::companion
