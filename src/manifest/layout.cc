#include "manifest/layout.h"

#include <algorithm>
#include <map>
#include <utility>

#include "fluxhook/base/ascii.h"
#include "manifest/scalar.h"
#include "manifest/yaml_parser.h"

namespace fluxhook::manifest {
namespace {

using Style = Layout::Style;

/// Takes events in order and notes where they stand.
class Surveyor {
public:
  explicit Surveyor(const std::string& text) : text_(text) {
    if (std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; })) return;
    for (std::size_t i = 0; i <= text.size(); ++i)
      if (i == text.size() || !continues_character(text[i])) bytes_.push_back(i);
  }

  void take(const yaml_event_t& event);
  std::vector<Layout> done() { return std::move(all_); }

private:
  void scalar(const yaml_event_t& event);
  void alias(const yaml_event_t& event);
  void open(const yaml_event_t& event, Style style, std::string_view anchor, const yaml_char_t* tag);
  void close(const yaml_event_t& event);
  std::size_t add(Style style, std::size_t begin, std::size_t end);
  void name(std::string_view anchor, std::size_t index) {
    if (!anchor.empty()) anchors_.insert_or_assign(std::string(anchor), index);
  }
  [[nodiscard]] std::size_t behind_properties(std::size_t at) const;
  [[nodiscard]] std::size_t block_end(std::size_t begin, std::size_t end) const;
  /// libyaml counts characters.
  [[nodiscard]] std::size_t byte(const yaml_mark_t& mark) const {
    return bytes_.empty() ? mark.index : bytes_[std::min(mark.index, bytes_.size() - 1)];
  }

  const std::string& text_;
  std::vector<std::size_t> bytes_; ///< of each character; empty: all are one byte
  std::vector<Layout> all_;
  std::vector<std::size_t> open_;
  std::map<std::string, std::size_t, std::less<>> anchors_;
};

void Surveyor::take(const yaml_event_t& event) {
  const auto& sequence = event.data.sequence_start;
  const auto& mapping = event.data.mapping_start;
  switch (event.type) {
  case YAML_SCALAR_EVENT: return scalar(event);
  case YAML_ALIAS_EVENT: return alias(event);
  case YAML_SEQUENCE_START_EVENT:
    return open(event, sequence.style == YAML_FLOW_SEQUENCE_STYLE ? Style::kFlowList : Style::kBlockList,
                view(sequence.anchor), sequence.tag);
  case YAML_MAPPING_START_EVENT:
    return open(event, mapping.style == YAML_FLOW_MAPPING_STYLE ? Style::kFlowObject : Style::kBlockObject,
                view(mapping.anchor), mapping.tag);
  case YAML_SEQUENCE_END_EVENT:
  case YAML_MAPPING_END_EVENT: return close(event);
  default: return;
  }
}

std::size_t Surveyor::add(Style style, std::size_t begin, std::size_t end) {
  all_.push_back({.style = style, .begin = begin, .end = end, .text = {}, .children = {}});
  if (!open_.empty()) all_[open_.back()].children.push_back(all_.size() - 1);
  return all_.size() - 1;
}

void Surveyor::scalar(const yaml_event_t& event) {
  const auto& data = event.data.scalar;
  std::size_t begin = byte(event.start_mark);
  std::size_t end = byte(event.end_mark);
  if (data.anchor != nullptr || data.tag != nullptr) begin = std::min(behind_properties(begin), end);
  const bool block = data.style == YAML_LITERAL_SCALAR_STYLE || data.style == YAML_FOLDED_SCALAR_STYLE;
  if (block) end = block_end(begin, end);
  const std::size_t index = add(block ? Style::kBlockScalar : Style::kScalar, begin, end);
  const void* const bytes = data.value;
  const std::string_view text(static_cast<const char*>(bytes), data.length);
  const bool plain = data.tag == nullptr && data.plain_implicit != 0;
  const auto value = plain ? resolve(text) : Result<Scalar>(Scalar{.text = std::string(text)});
  all_[index].text = value ? value->text : std::string(text);
  all_[index].merge = plain && text == "<<";
  name(view(data.anchor), index);
}

void Surveyor::alias(const yaml_event_t& event) {
  const std::size_t index = add(Style::kAlias, byte(event.start_mark), byte(event.end_mark));
  const auto found = anchors_.find(view(event.data.alias.anchor));
  if (found == anchors_.end()) return;
  all_[index].target = found->second;
  all_[index].text = all_[found->second].text; // as a key
}

void Surveyor::open(const yaml_event_t& event, Style style, std::string_view anchor, const yaml_char_t* tag) {
  std::size_t begin = byte(event.start_mark);
  if (!anchor.empty() || tag != nullptr) begin = behind_properties(begin);
  const std::size_t index = add(style, begin, begin);
  name(anchor, index);
  open_.push_back(index);
}

/// A block ends where its last value does; libyaml says where the next thing begins.
void Surveyor::close(const yaml_event_t& event) {
  Layout& node = all_[open_.back()];
  open_.pop_back();
  if (node.is_flow()) node.end = byte(event.end_mark);
  else
    for (const std::size_t child : node.children)
      node.end = std::max(node.end, all_[child].end);
}

std::size_t Surveyor::behind_properties(std::size_t at) const {
  while (at < text_.size() && (text_[at] == '&' || text_[at] == '!'))
    at = next_token(text_, std::min(text_.find_first_of(" \t\r\n", at), text_.size()));
  return at;
}

/// Blank lines below a block scalar are part of it only with `+`.
std::size_t Surveyor::block_end(std::size_t begin, std::size_t end) const {
  const std::string_view header =
      std::string_view(text_).substr(begin, text_.find_first_of(" \r\n", begin) - begin);
  const std::string_view text = std::string_view(text_).substr(0, end);
  if (!header.contains('+')) return text.find_last_not_of(" \t\r\n") + 1;
  return text.ends_with("\r\n") ? end - 2 : end - (text.ends_with('\n') ? 1 : 0);
}

} // namespace

std::size_t next_token(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    at = std::min(text.find_first_not_of(" \t\r\n", at), text.size());
    if (at == text.size() || text[at] != '#') break;
    at = std::min(text.find('\n', at), text.size());
  }
  return at;
}

std::vector<Layout> lay_out(const Piece& piece) {
  YamlParser parser(piece, {});
  Surveyor surveyor(piece.text);
  while (true) {
    const auto event = parser.next();
    if (!event) return {};
    if ((*event)->type == YAML_STREAM_END_EVENT) return surveyor.done();
    surveyor.take(**event);
  }
}

} // namespace fluxhook::manifest
