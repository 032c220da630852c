#include "fluxhook/manifest/writer.h"
#include "manifest/yaml_text.h"

namespace fluxhook::manifest {
namespace {

constexpr std::size_t kStep = 2;
constexpr std::size_t kLongKey = 1000; ///< YAML 1.1 reads longer keys (1,024 characters) behind a `?` only

/// Writes as kubectl does: two spaces a level, a list's items as far left as its key.
class Writer {
public:
  explicit Writer(std::string& out) : out_(out) {}

  /// A value behind `key:`, or, with `in_list`, behind `-`; what belongs to it is indented more than
  /// `indent`.
  void value(const Node& node, std::size_t indent, bool in_list) {
    if (!node.members.empty()) {
      out_ += in_list ? " " : "\n";
      object(node, indent + kStep, in_list);
    } else if (!node.items.empty()) {
      out_ += in_list ? " " : "\n";
      list(node, in_list ? indent + kStep : indent, in_list);
    } else {
      out_ += ' ';
      scalar(node, indent);
      out_ += '\n';
    }
  }

  /// Members, each in a line of its own; the first one goes on where the line is.
  void object(const Node& node, std::size_t indent, bool started) {
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

  void list(const Node& node, std::size_t indent, bool started) {
    for (const Node& item : node.items) {
      if (!started) out_.append(indent, ' ');
      started = false;
      out_ += '-';
      value(item, indent, true);
    }
  }

  void scalar(const Node& node, std::size_t indent) {
    switch (node.kind) {
    case Node::Kind::kNull: out_ += "null"; break;
    case Node::Kind::kBool: out_ += node.text; break;
    case Node::Kind::kNumber: number(node.text); break;
    case Node::Kind::kString: is_block(node.text) ? block(node.text, indent + kStep) : text(node.text); break;
    case Node::Kind::kList: out_ += "[]"; break;
    case Node::Kind::kObject: out_ += "{}"; break;
    }
  }

private:
  void text(std::string_view value) { out_ += yaml_scalar(value); }

  /// 1e+21 becomes 1.0e+21: YAML 1.1 has no float without a point.
  void number(std::string_view digits) {
    const std::size_t exponent = digits.find_first_of("eE");
    const bool pointless = exponent != digits.npos && !digits.contains('.');
    out_ += digits.substr(0, exponent);
    if (exponent == digits.npos) return;
    out_.append(pointless ? ".0" : "").append(digits.substr(exponent));
  }

  /// A literal block. Without a final line break `-`, with more than one `+`; the indent is
  /// told where the first line could hide it.
  void block(std::string_view value, std::size_t indent) {
    out_ += '|';
    if (value.front() == ' ' || value.front() == '\n' || value.front() == '\t') out_ += std::to_string(kStep);
    if (!value.ends_with('\n')) out_ += '-';
    if (value.ends_with("\n\n")) out_ += '+';
    if (value.ends_with('\n')) value.remove_suffix(1);
    while (true) {
      const std::size_t end = value.find('\n');
      const std::string_view line = value.substr(0, end);
      out_ += '\n';
      if (!line.empty()) out_.append(indent, ' ').append(line);
      if (end == value.npos) break;
      value.remove_prefix(end + 1);
    }
  }

  std::string& out_;
};

} // namespace

std::string to_yaml(const Node& node) {
  std::string out;
  Writer writer(out);
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

} // namespace fluxhook::manifest
