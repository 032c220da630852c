#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include <nlohmann/json.hpp>

#include "fluxhook/base/text.h"
#include "fluxhook/manifest/reader.h"
#include "manifest/members.h"
#include "manifest/parse.h"
#include "manifest/position.h"

namespace fluxhook::manifest {
namespace {

using Json = nlohmann::json;

constexpr auto kBlank = " \t\r\n";

/// Reads a text and shows outside how far it has been read.
class Cursor {
public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  Cursor(const char* at, const char** reached) : at_(at), reached_(reached) {}
  reference operator*() const { return *at_; }
  Cursor& operator++() {
    ++at_;
    if (reached_ != nullptr) *reached_ = at_;
    return *this;
  }
  bool operator==(const Cursor& other) const { return at_ == other.at_; }

private:
  const char* at_;
  const char** reached_;
};

/// Builds the tree of one JSON text from nlohmann's events.
class JsonBuilder : public nlohmann::json_sax<Json> {
public:
  JsonBuilder(std::string_view text, std::size_t start, Locator& locator, std::string_view file)
      : text_(text), locator_(locator), file_(file), start_(start), reached_(text.data() + start),
        done_(start) {}

  [[nodiscard]] Result<Node> read();
  /// Offset behind the value.
  [[nodiscard]] std::size_t end() const { return done_; }

  bool null() override { return word(Node::Kind::kNull, {}); }
  bool boolean(bool value) override { return word(Node::Kind::kBool, value ? "true" : "false"); }
  bool number_integer(number_integer_t) override { return number(); }
  bool number_unsigned(number_unsigned_t) override { return number(); }
  bool number_float(number_float_t, const string_t&) override { return number(); }
  bool string(string_t& value) override { return word(Node::Kind::kString, std::move(value)); }
  bool binary(binary_t&) override { return false; } // not in JSON
  bool start_object(std::size_t) override { return open(Node::Kind::kObject); }
  bool start_array(std::size_t) override { return open(Node::Kind::kList); }
  bool key(string_t& value) override;
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t position, const std::string& last, const Json::exception& error) override;

private:
  std::size_t token() const;
  bool count(Position at);
  bool word(Node::Kind kind, std::string text);
  bool number();
  bool open(Node::Kind kind);
  bool close();
  void add(Node node);
  void advance() { done_ = static_cast<std::size_t>(reached_ - text_.data()); }

  std::string_view text_;
  Locator& locator_;
  std::string_view file_;
  std::size_t start_;
  const char* reached_; ///< how far nlohmann has read
  std::size_t done_;    ///< end of the last token
  std::vector<Node> stack_;
  std::optional<Node> root_;
  std::optional<Error> error_;
  std::size_t values_ = 0;
};

Result<Node> JsonBuilder::read() {
  const char* const end = text_.data() + text_.size();
  const bool ok = Json::sax_parse(Cursor(reached_, &reached_), Cursor(end, nullptr), this,
                                  Json::input_format_t::json, false);
  if (ok && root_) return std::move(*root_);
  return std::unexpected(error_.value_or(Error{std::string(file_), "not JSON"}));
}

/// Where the token starts that nlohmann has just read: between tokens are blanks, commas and colons only.
std::size_t JsonBuilder::token() const { return text_.find_first_not_of(" \t\r\n,:", done_); }

/// Whether there may be one more value.
bool JsonBuilder::count(Position at) {
  if (++values_ <= kMaxValues) return true;
  error_ = Error{place(file_, at), "a document may have " + std::to_string(kMaxValues) + " values"};
  return false;
}

bool JsonBuilder::word(Node::Kind kind, std::string text) {
  const Position at = locator_.at(token());
  add({.kind = kind, .at = at, .text = std::move(text)});
  advance();
  return count(at);
}

/// A number, digits kept. nlohmann has read one character too far.
bool JsonBuilder::number() {
  const std::size_t start = token();
  done_ = std::min(text_.find_first_not_of("0123456789+-.eE", start), text_.size());
  const Position at = locator_.at(start);
  const std::string_view digits = text_.substr(start, done_ - start);
  if (!Json::accept(digits)) { // at the top nlohmann stops where a number could end: 0777 would be 0
    error_ = Error{place(file_, at), "syntax error: no JSON number: " + in_quotes(digits)};
    return false;
  }
  add({.kind = Node::Kind::kNumber, .at = at, .text = std::string(digits)});
  return count(at);
}

bool JsonBuilder::open(Node::Kind kind) {
  const Position at = locator_.at(token());
  if (stack_.size() == kMaxDepth) {
    error_ = Error{place(file_, at), "nested deeper than " + std::to_string(kMaxDepth) + " levels"};
    return false;
  }
  stack_.push_back({.kind = kind, .at = at, .text = {}});
  advance();
  return count(at);
}

bool JsonBuilder::close() {
  Node node = std::move(stack_.back());
  stack_.pop_back();
  if (auto unique = check_unique(node.members, file_); !unique) {
    error_ = unique.error();
    return false;
  }
  add(std::move(node));
  advance();
  return true;
}

bool JsonBuilder::key(string_t& value) {
  stack_.back().members.push_back({.key = std::move(value), .at = locator_.at(token()), .value = {}});
  advance();
  return true;
}

void JsonBuilder::add(Node node) {
  if (stack_.empty()) {
    root_ = std::move(node);
  } else if (stack_.back().kind == Node::Kind::kList) {
    stack_.back().items.push_back(std::move(node));
  } else {
    stack_.back().members.back().value = std::move(node);
  }
}

bool JsonBuilder::parse_error(std::size_t position, const std::string&, const Json::exception& error) {
  std::string what = error.what(); // [json.exception…] parse error at line 1, column 5: syntax error while …
  for (const std::string_view cut : {"syntax error ", "] "}) {
    if (const auto at = what.find(cut); at != what.npos) {
      what.erase(0, cut == "] " ? at + cut.size() : at);
      break;
    }
  }
  // Its text has bytes of the input.
  error_ = Error{place(file_, locator_.at(start_ + std::max<std::size_t>(position, 1) - 1)), printable(what)};
  return false;
}

} // namespace

Result<JsonText> parse_json(std::string_view text, std::size_t start, Locator& locator,
                            std::string_view file) {
  JsonBuilder builder(text, std::min(text.find_first_not_of(kBlank, start), text.size()), locator, file);
  Result<Node> value = builder.read();
  if (!value) return std::unexpected(value.error());
  return JsonText{std::move(*value), builder.end()};
}

Result<Node> parse_json(std::string_view text, std::string_view file) {
  Locator locator(text, 1);
  if (text.find_first_not_of(kBlank) == text.npos) return fail(std::string(file), "must be one JSON text");
  Result<JsonText> value = parse_json(text, 0, locator, file);
  if (!value) return std::unexpected(value.error());
  if (text.find_first_not_of(kBlank, value->end) != text.npos)
    return fail(std::string(file), "must be one JSON text");
  return std::move(value->root);
}

} // namespace fluxhook::manifest
