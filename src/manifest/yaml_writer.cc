#include "manifest/yaml_writer.h"

#include "fluxhook/manifest/writer.h"
#include "manifest/scalar.h"
#include "manifest/yaml_text.h"

namespace fluxhook::manifest {
namespace {

constexpr std::size_t kDash = 2;       ///< `- `
constexpr std::size_t kBlockStep = 2;  ///< of a block scalar's lines
constexpr std::size_t kLongKey = 1000; ///< YAML 1.1 reads longer keys (1,024 characters) behind a `?` only

/// 1E21 becomes 1.0e+21: YAML 1.1 has no float without a point, nor an exponent without a sign. And -0 would
/// be the integer 0.
std::string number(std::string_view text) {
  std::string digits = format_number(text);
  if (digits == "-0") return "-0.0";
  const std::size_t exponent = digits.find_first_of("eE");
  if (exponent == digits.npos) return digits;
  const std::string mantissa = digits.substr(0, exponent);
  return mantissa + (digits.contains('.') ? "" : ".0") + digits.substr(exponent);
}

/// A literal block. Without a final line break `-`, with more than one `+`; the indent is told where the
/// first line could hide it.
void write_block(std::string_view value, std::size_t indent, std::string& out) {
  out += '|';
  if (value.front() == ' ' || value.front() == '\n' || value.front() == '\t')
    out += std::to_string(kBlockStep);
  if (!value.ends_with('\n')) out += '-';
  if (value.ends_with("\n\n")) out += '+';
  if (value.ends_with('\n')) value.remove_suffix(1);
  while (true) {
    const std::size_t end = value.find('\n');
    const std::string_view line = value.substr(0, end);
    out += '\n';
    if (!line.empty()) out.append(indent + kBlockStep, ' ').append(line);
    if (end == value.npos) break;
    value.remove_prefix(end + 1);
  }
}

/// A scalar, or an empty list or object, in one line.
std::string one_line(const Node& node, bool in_flow) {
  switch (node.kind) {
  case Node::Kind::kNull: return "null";
  case Node::Kind::kBool: return node.text;
  case Node::Kind::kNumber: return number(node.text);
  case Node::Kind::kString: return yaml_scalar(node.text, in_flow);
  case Node::Kind::kList: return "[]";
  case Node::Kind::kObject: return "{}";
  }
  return {};
}

} // namespace

void YamlWriter::value(const Node& node, std::size_t indent, bool in_list) {
  if (!node.members.empty()) {
    out_ += in_list ? " " : "\n";
    object(node, indent + (in_list ? kDash : indents_.step), in_list);
  } else if (!node.items.empty()) {
    out_ += in_list ? " " : "\n";
    list(node, indent + (in_list ? kDash : indents_.list), in_list);
  } else {
    out_ += ' ';
    scalar(node, indent);
    out_ += '\n';
  }
}

void YamlWriter::object(const Node& node, std::size_t indent, bool started) {
  for (const Member& member : node.members) {
    if (!started) out_.append(indent, ' ');
    started = false;
    const std::string key = yaml_scalar(member.key);
    if (key.size() > kLongKey) {
      out_.append("? ").append(key).append("\n").append(indent, ' ');
    } else {
      out_ += key;
    }
    out_ += ':';
    value(member.value, indent, false);
  }
}

void YamlWriter::list(const Node& node, std::size_t indent, bool started) {
  for (const Node& item : node.items) {
    if (!started) out_.append(indent, ' ');
    started = false;
    out_ += '-';
    value(item, indent, true);
  }
}

void YamlWriter::scalar(const Node& node, std::size_t indent) {
  if (node.kind == Node::Kind::kString && is_block(node.text)) write_block(node.text, indent, out_);
  else out_ += one_line(node, false);
}

std::string to_yaml(const Node& node) {
  std::string out;
  YamlWriter writer(out, {});
  if (!node.members.empty()) {
    writer.object(node, 0, false);
  } else if (!node.items.empty()) {
    writer.list(node, 0, false);
  } else {
    writer.scalar(node, 0);
    out += '\n';
  }
  return out;
}

std::string to_flow(const Node& node, bool json, bool open) {
  const auto text = [json](const Node& scalar) { return json ? to_json(scalar) : one_line(scalar, true); };
  if (node.items.empty() && node.members.empty()) return text(node);
  std::string out;
  for (const Node& item : node.items)
    out += (out.empty() ? "" : ", ") + to_flow(item, json);
  for (const Member& member : node.members) {
    const Node key{.kind = Node::Kind::kString, .at = {}, .text = member.key};
    out += (out.empty() ? "" : ", ") + text(key) + ": " + to_flow(member.value, json);
  }
  if (open) return out;
  return node.kind == Node::Kind::kList ? "[" + out + "]" : "{" + out + "}";
}

} // namespace fluxhook::manifest
