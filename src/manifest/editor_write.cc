#include <algorithm>
#include <utility>

#include "manifest/editor.h"

// The half of Editor that writes.
namespace fluxhook::manifest {
namespace {

using Style = Layout::Style;
using Kind = Node::Kind;

bool is_collection(const Node& node) { return !node.items.empty() || !node.members.empty(); }

} // namespace

/// Whether a flow collection is written as in JSON.
bool Editor::is_json(const Layout& flow) const {
  const std::size_t first = next_token(text_, flow.begin + 1);
  return flow.is_flow() && first < text_.size() && text_[first] == '"';
}

/// Replaces a value where it stands.
bool Editor::put(const Layout& old, const Node& value, Place place) {
  if (place.in_flow) {
    if (old.begin == old.end) return false; // `{a}`
    edits_.replace(old.begin, old.end, to_flow(value, is_json(old)));
    return true;
  }
  if (!is_collection(value)) return put_scalar(old, value, place);
  if (old.style == Style::kFlowList && value.kind == Kind::kList && !old.children.empty()) {
    edits_.replace(old.begin, old.end, to_flow(value, is_json(old)));
  } else if (old.style == Style::kBlockList && value.kind == Kind::kList) {
    std::string text;
    YamlWriter(text, indents_).list(value, column_of(text_, old.begin), true);
    text.pop_back(); // the line end is there
    edits_.replace(old.begin, is_words(old) ? behind_comment(text_, old.end) : old.end, std::move(text));
  } else if (old.style == Style::kBlockList || old.style == Style::kBlockObject) {
    return false;
  } else {
    put_below(old, value, place);
  }
  return true;
}

/// In the line of the key or the dash.
bool Editor::put_scalar(const Layout& old, const Node& value, Place place) {
  if (old.style == Style::kBlockList || old.style == Style::kBlockObject) return false;
  std::string text;
  const bool close = old.begin > 0 && (text_[old.begin - 1] == ':' || text_[old.begin - 1] == '-');
  if (close) text += ' ';
  YamlWriter(text, indents_).scalar(value, place.column);
  edits_.replace(old.begin, old.end, std::move(text));
  return true;
}

/// In the lines below, where there was a scalar, an alias or nothing.
void Editor::put_below(const Layout& old, const Node& value, Place place) {
  std::size_t begin = old.begin;
  while (begin > 0 && begin < old.end && text_[begin - 1] == ' ')
    --begin;
  edits_.replace(begin, old.end, {});
  std::string text;
  YamlWriter writer(text, indents_);
  if (value.kind == Kind::kList)
    writer.list(value, place.column + (place.in_list ? 2 : indents_.list), false);
  else writer.object(value, place.column + (place.in_list ? 2 : indents_.step), false);
  edits_.insert(next_line(text_, old.end), std::move(text));
}

void Editor::add_items(const Layout& list, std::size_t at, const Node& items) {
  if (list.is_flow()) {
    const std::string text = to_flow(items, is_json(list), true);
    if (at > 0) edits_.insert(child(list, at - 1).end, ", " + text);
    else edits_.insert(list.begin + 1, list.children.empty() ? text : text + ", ");
    return;
  }
  const std::size_t column = column_of(text_, list.begin);
  std::string text;
  YamlWriter(text, indents_).list(items, column, at == 0);
  if (at == 0) return edits_.insert(list.begin, text + std::string(column, ' '));
  const bool last = at == list.children.size(); // comments below it are its own, or the next one's
  edits_.insert(behind_entry(text_, child(list, at - 1).end, last ? column : column + 1), std::move(text));
}

void Editor::add_members(const Layout& object, const Node& members) {
  const std::size_t count = object.children.size();
  if (object.is_flow()) {
    const std::string text = to_flow(members, is_json(object), true);
    if (count == 0) return edits_.insert(object.begin + 1, text);
    const std::size_t end = std::max(child(object, count - 2).end, child(object, count - 1).end);
    return edits_.insert(end, ", " + text);
  }
  const std::size_t column = column_of(text_, object.begin);
  std::string text;
  YamlWriter(text, indents_).object(members, column, false);
  edits_.insert(behind_entry(text_, object.end, column), std::move(text));
}

/// Puts the members that an object has by its one merge key in the place of that.
bool Editor::write_out_merge(const Layout& object, const Node& members) {
  std::size_t found = object.children.size();
  for (std::size_t i = 0; i < object.children.size(); i += 2) {
    if (!child(object, i).merge) continue;
    if (found != object.children.size()) return false;
    found = i;
  }
  if (found == object.children.size() || members.members.empty()) return false;
  std::string text;
  if (object.is_flow()) {
    text = to_flow(members, is_json(object), true);
  } else {
    YamlWriter(text, indents_).object(members, column_of(text_, object.begin), true);
    text.pop_back(); // the line end is there
  }
  edits_.replace(child(object, found).begin, child(object, found + 1).end, std::move(text));
  return true;
}

/// A block scalar at the text's end whose last line has no end gets one, which its value must not have.
void Editor::end_last_block() {
  if (!edits_.goes_on() || text_.ends_with('\n') || layout_.back().style != Style::kBlockScalar) return;
  const std::size_t at = layout_.back().begin + 1;
  const bool chomped = text_.substr(at, text_.find('\n', at) - at).find_first_of("+-") != std::string::npos;
  if (!chomped) edits_.insert(at, "-");
}

} // namespace fluxhook::manifest
