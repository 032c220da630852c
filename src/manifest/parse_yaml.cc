#include <utility>

#include "fluxhook/manifest/reader.h"
#include "manifest/anchors.h"
#include "manifest/members.h"
#include "manifest/parse.h"
#include "manifest/scalar.h"
#include "manifest/yaml_parser.h"

namespace fluxhook::manifest {
namespace {

/// Builds the tree of one document from libyaml's events, with a stack instead of recursion.
class YamlBuilder {
public:
  YamlBuilder(const YamlParser& parser, std::string_view file) : parser_(parser), file_(file) {}

  /// Takes one event. Error: what is wrong there.
  Result<void> take(const yaml_event_t& event);

  [[nodiscard]] std::optional<Node> root() { return std::move(root_); }

private:
  /// A list or an object that is not complete yet.
  struct Frame {
    Node node;
    std::string anchor;
    std::vector<std::size_t> merges; ///< members whose key is <<
    bool has_key = false;            ///< the next node is the last member's value
  };

  Result<void> open(Node::Kind kind, std::string_view anchor, Position at);
  Result<void> close();
  Result<void> scalar(const yaml_event_t& event, Position at);
  Result<void> alias(std::string_view anchor, Position at);
  Result<void> add(Node node, bool plain);
  Result<void> add_key(Frame& frame, Node node, bool plain);

  /// `result`'s error with the place that it lacks.
  [[nodiscard]] std::unexpected<Error> at_place(Error error, Position at) const {
    return fail(place(file_, at), std::move(error.what));
  }

  const YamlParser& parser_;
  std::string_view file_;
  Anchors anchors_;
  std::vector<Frame> stack_;
  std::optional<Node> root_;
  bool started_ = false; ///< a document
  std::size_t values_ = 0;
};

Result<void> YamlBuilder::take(const yaml_event_t& event) {
  const Position at = parser_.position(event.start_mark);
  switch (event.type) {
  case YAML_SCALAR_EVENT: return scalar(event, at);
  case YAML_ALIAS_EVENT: return alias(view(event.data.alias.anchor), at);
  case YAML_SEQUENCE_START_EVENT: return open(Node::Kind::kList, view(event.data.sequence_start.anchor), at);
  case YAML_MAPPING_START_EVENT: return open(Node::Kind::kObject, view(event.data.mapping_start.anchor), at);
  case YAML_SEQUENCE_END_EVENT:
  case YAML_MAPPING_END_EVENT: return close();
  case YAML_DOCUMENT_START_EVENT:
    if (std::exchange(started_, true))
      return fail(place(file_, at), "another document begins here: it needs a line --- above it");
    return {};
  default: return {};
  }
}

Result<void> YamlBuilder::open(Node::Kind kind, std::string_view anchor, Position at) {
  if (stack_.size() == kMaxDepth)
    return fail(place(file_, at), "nested deeper than " + std::to_string(kMaxDepth) + " levels");
  if (!anchor.empty()) anchors_.open(anchor);
  Frame& frame = stack_.emplace_back();
  frame.node.kind = kind;
  frame.node.at = at;
  frame.anchor = anchor;
  return {};
}

Result<void> YamlBuilder::close() {
  Frame frame = std::move(stack_.back());
  stack_.pop_back();
  if (auto unique = check_unique(frame.node.members, file_); !unique) return unique;
  if (!frame.merges.empty()) {
    if (auto merged = expand_merges(frame.node.members, frame.merges, file_); !merged) return merged;
  }
  if (!frame.anchor.empty()) {
    if (auto kept = anchors_.close(frame.anchor, frame.node); !kept)
      return at_place(kept.error(), frame.node.at);
  }
  return add(std::move(frame.node), false);
}

Result<void> YamlBuilder::scalar(const yaml_event_t& event, Position at) {
  const auto& data = event.data.scalar;
  const void* bytes = data.value;
  const std::string_view text(static_cast<const char*>(bytes), data.length);
  Result<Scalar> value = data.tag != nullptr        ? resolve_tagged(view(data.tag), text)
                         : data.plain_implicit != 0 ? resolve(text)
                                                    : Scalar{Node::Kind::kString, std::string(text)};
  if (!value) return at_place(value.error(), at);
  Node node{.kind = value->kind, .at = at, .text = std::move(value->text)};
  if (data.anchor != nullptr) {
    if (auto kept = anchors_.set(view(data.anchor), node); !kept) return at_place(kept.error(), at);
  }
  return add(std::move(node), data.tag == nullptr && data.plain_implicit != 0);
}

Result<void> YamlBuilder::alias(std::string_view anchor, Position at) {
  Result<Node> node = anchors_.get(anchor);
  if (!node) return at_place(node.error(), at);
  return add(std::move(*node), false);
}

Result<void> YamlBuilder::add(Node node, bool plain) {
  if (++values_ > kMaxValues)
    return fail(place(file_, node.at), "a document may have " + std::to_string(kMaxValues) + " values");
  if (stack_.empty()) {
    root_ = std::move(node);
    return {};
  }
  Frame& frame = stack_.back();
  if (frame.node.kind == Node::Kind::kList) {
    frame.node.items.push_back(std::move(node));
    return {};
  }
  if (!frame.has_key) return add_key(frame, std::move(node), plain);
  frame.node.members.back().value = std::move(node);
  frame.has_key = false;
  return {};
}

Result<void> YamlBuilder::add_key(Frame& frame, Node node, bool plain) {
  if (node.kind == Node::Kind::kNull)
    return fail(place(file_, node.at), "a key can't be null: quote it if it is text");
  if (node.kind == Node::Kind::kList || node.kind == Node::Kind::kObject) {
    return fail(place(file_, node.at), "a key can't be a list or an object");
  }
  if (plain && node.text == "<<") frame.merges.push_back(frame.node.members.size());
  frame.node.members.push_back({.key = std::move(node.text), .at = node.at, .value = {}});
  frame.has_key = true;
  return {};
}

} // namespace

Result<std::optional<Node>> parse_yaml(const Piece& piece, std::string_view file) {
  YamlParser parser(piece, file);
  YamlBuilder builder(parser, file);
  while (true) {
    const auto event = parser.next();
    if (!event) return std::unexpected(event.error());
    if ((*event)->type == YAML_STREAM_END_EVENT) break;
    if (auto taken = builder.take(**event); !taken) return std::unexpected(taken.error());
  }
  std::optional<Node> root = builder.root();
  if (root && root->kind == Node::Kind::kNull) root.reset(); // `---` with nothing behind it
  return root;
}

} // namespace fluxhook::manifest
