#include "cli/note_writer.h"

#include <string_view>
#include <utility>
#include <vector>

#include "fluxhook/base/text.h"

namespace fluxhook::cli {
namespace {

server::LogLevel level_of(Note::Level level) {
  switch (level) {
  case Note::Level::kInfo: return server::LogLevel::kInfo;
  case Note::Level::kWarn: return server::LogLevel::kWarn;
  case Note::Level::kError: break;
  }
  return server::LogLevel::kError;
}

} // namespace

std::function<void(const Note&)> note_writer(std::shared_ptr<const server::Log> log) {
  return [log = std::move(log)](const Note& note) {
    std::vector<server::Log::Field> fields;
    fields.reserve(note.fields.size());
    for (const auto& [key, value] : note.fields)
      fields.push_back({key, std::string_view(value)});
    log->write(level_of(note.level), printable(note.message), fields);
  };
}

} // namespace fluxhook::cli
