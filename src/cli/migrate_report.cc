#include "cli/migrate_report.h"

#include <nlohmann/json.hpp>

#include "cli/counted.h"
#include "fluxhook/manifest/reader.h"

namespace fluxhook::cli {
namespace {

using Json = nlohmann::ordered_json;
using migrate::Fate;

Json object_json(const MigratedObject& object) {
  Json becomes = Json::array();
  for (const manifest::Node& made : object.result.objects) {
    const manifest::Node& metadata = *made.find("metadata");
    const std::string_view name = metadata.get("name");
    becomes.push_back(
        {{"kind", made.get("kind")}, {"name", name.empty() ? metadata.get("generateName") : name}});
  }
  Json fields = Json::array();
  for (const migrate::Note& note : object.result.notes)
    fields.push_back({{"fate", migrate::fate_word(note.fate)},
                      {"field", note.field},
                      {"line", note.at.line},
                      {"column", note.at.column},
                      {"text", note.text}});
  return {{"file", manifest::place(object.file, {})},
          {"line", object.at.line},
          {"column", object.at.column},
          {"kind", object.kind},
          {"name", object.name},
          {"becomes", becomes},
          {"fields", fields}};
}

} // namespace

void MigrationSummary::count(const MigratedObject& object) {
  ++migrated;
  for (const migrate::Note& note : object.result.notes)
    ++fates.at(static_cast<std::size_t>(note.fate));
}

std::string MigrationSummary::text() const {
  const auto of = [&](Fate fate) { return fates.at(static_cast<std::size_t>(fate)); };
  std::string text = counted(migrated, "object") + " migrated";
  if (others > 0) text += ", " + counted(others, "other") + " passed over";
  if (unreadable > 0) text += ", " + std::to_string(unreadable) + " unreadable";
  return text + ": " + counted(of(Fate::kDropped), "field") + " dropped, " +
         std::to_string(of(Fate::kChanged)) + " changed, " + std::to_string(of(Fate::kDecide)) + " to decide";
}

std::vector<std::string> note_lines(const MigratedObject& object) {
  std::vector<std::string> lines;
  for (const migrate::Note& note : object.result.notes) {
    if (note.fate == Fate::kCarried) continue;
    lines.push_back(manifest::place(object.file, note.at) + ": " +
                    std::string(migrate::fate_word(note.fate)) + ": " +
                    (note.field.empty() ? "" : note.field + ": ") + note.text);
  }
  return lines;
}

std::string migration_json(const std::vector<MigratedObject>& objects, const MigrationSummary& summary) {
  Json all = Json::array();
  for (const MigratedObject& object : objects)
    all.push_back(object_json(object));
  Json counts{{"migrated", summary.migrated}, {"others", summary.others}, {"unreadable", summary.unreadable}};
  for (const Fate fate : {Fate::kCarried, Fate::kDropped, Fate::kChanged, Fate::kDecide})
    counts[std::string(migrate::fate_word(fate))] = summary.fates.at(static_cast<std::size_t>(fate));
  return Json{{"objects", all}, {"summary", counts}}.dump(2, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

} // namespace fluxhook::cli
