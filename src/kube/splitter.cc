#include "kube/splitter.h"

#include <format>

namespace fluxhook::kube {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

/// The end of the string whose quote is at `start`: behind its last quote; npos when it has none.
std::size_t string_end(std::string_view text, std::size_t start) {
  for (std::size_t i = start + 1; i < text.size(); ++i) {
    if (text[i] == '\\') ++i;
    else if (text[i] == '"') return i + 1;
  }
  return text.npos;
}

/// The end of the value at `start`: the comma or bracket at its own level behind it.
std::size_t value_end(std::string_view text, std::size_t start) {
  std::size_t depth = 0;
  for (std::size_t i = start; i < text.size();) {
    const char c = text[i];
    if (c == '"') {
      i = string_end(text, i);
      if (i == text.npos) return i;
      continue;
    }
    if (depth == 0 && (c == ',' || c == '}' || c == ']')) return i;
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    ++i;
  }
  return text.npos;
}

} // namespace

void Splitter::look(char c) {
  if (in_string_) {
    if (escaped_) escaped_ = false;
    else if (c == '\\') escaped_ = true;
    else if (c == '"') in_string_ = false;
    if (in_string_ && depth_ == 1 && key_.size() < 8) key_ += c;
    return;
  }
  switch (c) {
  case '"':
    in_string_ = true;
    if (depth_ == 1 && !after_colon_) key_.clear();
    break;
  case ':': after_colon_ |= depth_ == 1; break;
  case ',':
    if (depth_ == 1) after_colon_ = false;
    break;
  case '{':
  case '[':
    if (c == '[' && depth_ == 1 && after_colon_ && key_ == "items") in_items_ = true;
    ++depth_;
    break;
  case '}':
  case ']':
    if (depth_ > 0) --depth_;
    if (depth_ == 1) in_items_ = false;
    break;
  default: break;
  }
}

Result<void> Splitter::feed(std::string_view bytes, const Sink& sink) {
  std::size_t start = 0; // of what belongs to the object
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const char c = bytes[i];
    if (!in_object_ && between_objects() && c != ']') {
      if (is_blank(c) || (c == ',' && in_items_)) continue;
      if (c != '{') return fail("", "the answer is no JSON object");
      in_object_ = true;
      start = i;
    }
    look(c);
    if (!in_object_) {
      if (rest_.size() == most_)
        return fail("", std::format("the answer has more than {} bytes besides its items", most_));
      if (objects_ == Objects::kItems) rest_ += c;
      continue;
    }
    if (depth_ != level()) {
      if (object_.size() + (i - start) >= most_)
        return fail("", std::format("an object of more than {} bytes", most_));
      continue;
    }
    in_object_ = false;
    std::string_view object = bytes.substr(start, i + 1 - start);
    if (!object_.empty()) object = object_.append(object);
    if (auto taken = sink(object); !taken) return taken;
    object_.clear();
  }
  if (in_object_) object_.append(bytes.substr(start));
  return {};
}

std::optional<std::string_view> raw_member(std::string_view object, std::string_view key) {
  std::size_t at = object.find_first_not_of(" \n\r\t");
  if (at == object.npos || object[at] != '{') return {};
  while (++at < object.size()) {
    at = object.find('"', at);
    if (at == object.npos) return {};
    const std::size_t end = string_end(object, at);
    if (end == object.npos) return {};
    const std::string_view name = object.substr(at + 1, end - at - 2);
    std::size_t value = object.find_first_not_of(" \n\r\t:", end);
    if (value == object.npos) return {};
    at = value_end(object, value);
    if (at == object.npos) return {};
    if (name == key) {
      std::string_view found = object.substr(value, at - value);
      while (!found.empty() && is_blank(found.back()))
        found.remove_suffix(1);
      return found;
    }
  }
  return {};
}

} // namespace fluxhook::kube
