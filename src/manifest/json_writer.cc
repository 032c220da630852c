#include <array>
#include <cstdio>

#include "fluxhook/manifest/writer.h"
#include "manifest/json_writer.h"

namespace fluxhook::manifest {
namespace {

void write_string(std::string_view text, std::string& out) {
  out += '"';
  for (const char c : text) {
    switch (c) {
    case '"': out += "\\\""; break;
    case '\\': out += "\\\\"; break;
    case '\n': out += "\\n"; break;
    case '\r': out += "\\r"; break;
    case '\t': out += "\\t"; break;
    default:
      if (static_cast<unsigned char>(c) < 0x20) {
        std::array<char, 8> code{};
        std::snprintf(code.data(), code.size(), "\\u%04x", static_cast<unsigned>(c));
        out += code.data();
      } else {
        out += c;
      }
    }
  }
  out += '"';
}

/// Writes values one after another.
class Writer {
public:
  Writer(std::string& out, const JsonSpacing& spacing) : out_(out), spacing_(spacing) {}

  void write(const Node& node, std::size_t level) {
    switch (node.kind) {
    case Node::Kind::kNull: out_ += "null"; break;
    case Node::Kind::kBool:
    case Node::Kind::kNumber: out_ += node.text; break;
    case Node::Kind::kString: write_string(node.text, out_); break;
    case Node::Kind::kList:
      write_all('[', ']', node.items, level, [&](const Node& item) { write(item, level + 1); });
      break;
    case Node::Kind::kObject:
      write_all('{', '}', node.members, level, [&](const Member& member) {
        write_string(member.key, out_);
        out_ += spacing_.colon;
        write(member.value, level + 1);
      });
      break;
    }
  }

private:
  template <class Range, class Write>
  void write_all(char open, char close, const Range& values, std::size_t level, Write write_one) {
    out_ += open;
    bool first = true;
    for (const auto& value : values) {
      if (!first) out_ += spacing_.comma;
      first = false;
      new_line(level + 1);
      write_one(value);
    }
    if (!first) new_line(level);
    out_ += close;
  }

  void new_line(std::size_t level) {
    if (spacing_.line_end.empty()) return;
    out_ += spacing_.line_end;
    for (; level > 0; --level)
      out_ += spacing_.indent;
  }

  std::string& out_;
  const JsonSpacing& spacing_;
};

} // namespace

std::string to_json(const Node& node, const JsonSpacing& spacing) {
  std::string out;
  Writer(out, spacing).write(node, 0);
  return out;
}

std::string to_json(const Node& node, bool indented) {
  return indented ? to_json(node, {.line_end = "\n", .indent = "  ", .colon = ": "}) + "\n"
                  : to_json(node, JsonSpacing());
}

} // namespace fluxhook::manifest
