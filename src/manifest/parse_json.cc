#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include <nlohmann/json.hpp>

#include "fluxhook/manifest/reader.h"
#include "manifest/members.h"
#include "manifest/parse.h"
#include "manifest/position.h"
#include "manifest/scalar.h"

namespace fluxhook::manifest {
namespace {

using Json = nlohmann::json;

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
class Builder : public nlohmann::json_sax<Json> {
public:
  Builder(std::string_view text, std::size_t start, Locator& locator, std::string_view file)
      : text_(text), locator_(locator), file_(file), start_(start), reached_(text.data() + start),
        done_(start) {}

  [[nodiscard]] Result<Node> read();
  /// Offset behind the value.
  [[nodiscard]] std::size_t end() const { return done_; }

  bool null() override { return word(Node::Kind::kNull, {}); }
  bool boolean(bool value) override { return word(Node::Kind::kBool, value ? "true" : "false"); }
  bool number_integer(number_integer_t) override { return number({}); }
  bool number_unsigned(number_unsigned_t) override { return number({}); }
  bool number_float(number_float_t value, const string_t& digits) override {
    const bool whole =
        digits.find_first_of(".eE") == digits.npos; // an integer beyond 64 bits keeps its digits
    return number(whole ? std::string() : format_number(value));
  }
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
  bool word(Node::Kind kind, std::string text);
  bool number(std::string text);
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
};

Result<Node> Builder::read() {
  const char* const end = text_.data() + text_.size();
  const bool ok = Json::sax_parse(Cursor(reached_, &reached_), Cursor(end, nullptr), this,
                                  Json::input_format_t::json, false);
  if (ok && root_) return std::move(*root_);
  return std::unexpected(error_.value_or(Error{std::string(file_), "not JSON"}));
}

/// Where the token starts that nlohmann has just read: between tokens are blanks, commas and colons only.
std::size_t Builder::token() const { return text_.find_first_not_of(" \t\r\n,:", done_); }

bool Builder::word(Node::Kind kind, std::string text) {
  add({.kind = kind, .at = locator_.at(token()), .text = std::move(text)});
  advance();
  return true;
}

/// A number: its digits, or `text` instead. nlohmann has read one character too far.
bool Builder::number(std::string text) {
  const std::size_t start = token();
  done_ = std::min(text_.find_first_not_of("0123456789+-.eE", start), text_.size());
  if (text.empty()) text = text_.substr(start, done_ - start);
  add({.kind = Node::Kind::kNumber, .at = locator_.at(start), .text = std::move(text)});
  return true;
}

bool Builder::open(Node::Kind kind) {
  const Position at = locator_.at(token());
  if (stack_.size() == kMaxDepth) {
    error_ = Error{place(file_, at), "nested deeper than " + std::to_string(kMaxDepth) + " levels"};
    return false;
  }
  stack_.push_back({.kind = kind, .at = at, .text = {}});
  advance();
  return true;
}

bool Builder::close() {
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

bool Builder::key(string_t& value) {
  stack_.back().members.push_back({.key = std::move(value), .at = locator_.at(token()), .value = {}});
  advance();
  return true;
}

void Builder::add(Node node) {
  if (stack_.empty()) {
    root_ = std::move(node);
  } else if (stack_.back().kind == Node::Kind::kList) {
    stack_.back().items.push_back(std::move(node));
  } else {
    stack_.back().members.back().value = std::move(node);
  }
}

bool Builder::parse_error(std::size_t position, const std::string&, const Json::exception& error) {
  std::string what = error.what(); // [json.exception…] parse error at line 1, column 5: syntax error while …
  for (const std::string_view cut : {"syntax error ", "] "}) {
    if (const auto at = what.find(cut); at != what.npos) {
      what.erase(0, cut == "] " ? at + cut.size() : at);
      break;
    }
  }
  error_ = Error{place(file_, locator_.at(start_ + std::max<std::size_t>(position, 1) - 1)), what};
  return false;
}

} // namespace

Result<std::vector<Node>> parse_json(const Piece& piece, std::string_view file) {
  constexpr auto kBlank = " \t\r\n";
  const std::string_view text = piece.text;
  Locator locator(text, piece.line);
  std::vector<Node> values;
  for (std::size_t at = text.find_first_not_of(kBlank); at != text.npos;
       at = text.find_first_not_of(kBlank, at)) {
    Builder builder(text, at, locator, file);
    Result<Node> value = builder.read();
    if (!value) return std::unexpected(value.error());
    values.push_back(std::move(*value));
    at = builder.end();
  }
  return values;
}

Result<Node> parse_json(std::string_view text, std::string_view file) {
  Result<std::vector<Node>> values = parse_json(Piece{.text = std::string(text), .line = 1}, file);
  if (!values) return std::unexpected(values.error());
  if (values->size() != 1) return fail(std::string(file), "must be one JSON text");
  return std::move(values->front());
}

} // namespace fluxhook::manifest
