#include "manifest/yaml_parser.h"

#include <new>
#include <string_view>

#include "fluxhook/manifest/reader.h"
#include "manifest/position.h"

namespace fluxhook::manifest {

YamlParser::YamlParser(const Piece& piece, std::string_view file) : piece_(piece), file_(file) {
  if (yaml_parser_initialize(&parser_) == 0) throw std::bad_alloc();
  yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
  const void* bytes = piece.text.data();
  yaml_parser_set_input_string(&parser_, static_cast<const unsigned char*>(bytes), piece.text.size());
}

YamlParser::~YamlParser() {
  yaml_event_delete(&event_);
  yaml_parser_delete(&parser_);
}

Result<const yaml_event_t*> YamlParser::next() {
  yaml_event_delete(&event_);
  if (yaml_parser_parse(&parser_, &event_) == 0) return std::unexpected(fault());
  return &event_;
}

Position YamlParser::position(const yaml_mark_t& mark) const {
  return {piece_.line + static_cast<std::uint32_t>(mark.line), 1 + static_cast<std::uint32_t>(mark.column)};
}

Error YamlParser::fault() const {
  std::string what = parser_.problem == nullptr ? "out of memory" : parser_.problem;
  if (parser_.error == YAML_READER_ERROR) { // not text: libyaml knows the byte only
    if (parser_.problem_offset == 0 && piece_.text.find('\0') != piece_.text.npos) what += " (UTF-16?)";
    Locator locator(piece_.text, piece_.line);
    return {place(file_, locator.at(parser_.problem_offset)), what + "; a manifest is UTF-8 text"};
  }
  if (parser_.context != nullptr) {
    what += std::string(" ") + parser_.context + " that starts in line " +
            std::to_string(position(parser_.context_mark).line);
  }
  if (indented_by_tab()) what += "; a tab is no indentation in YAML: use blanks";
  return {place(file_, position(parser_.problem_mark)), what};
}

bool YamlParser::indented_by_tab() const {
  std::string_view rest = piece_.text;
  for (std::size_t line = 0; line < parser_.problem_mark.line; ++line) {
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) return false;
    rest.remove_prefix(end + 1);
  }
  return rest.substr(0, rest.find_first_not_of(" \t")).contains('\t');
}

} // namespace fluxhook::manifest
