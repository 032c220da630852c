#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>

#include <algorithm>
#include <array>
#include <vector>

#include "fluxhook/base/text.h"
#include "json.h"

namespace fluxhook::admission {
namespace {

using namespace std::string_view_literals;

struct Unread {
  std::size_t depth; ///< of the object that holds the key; a review's root is 1
  std::string_view key;
};

constexpr std::array kUnread{Unread{2, "userInfo"sv},     Unread{2, "options"sv},
                             Unread{2, "requestKind"sv},  Unread{2, "requestResource"sv},
                             Unread{2, "resource"sv},     Unread{3, "status"sv},
                             Unread{4, "managedFields"sv}};

/// A SAX handler between the reader and the document: limits depth, refuses duplicate keys, drops what nobody
/// reads.
class Filter {
public:
  Filter(rapidjson::Document& document, Root root)
      : document_(document), offset_(root == Root::kJobSet ? 2 : 0) {
    keys_.reserve(128);
  }

  [[nodiscard]] const std::string& fault() const { return fault_; }

  bool Null() {
    return value([&] { return document_.Null(); });
  }
  bool Bool(bool b) {
    return value([&] { return document_.Bool(b); });
  }
  bool Int(int i) {
    return value([&] { return document_.Int(i); });
  }
  bool Uint(unsigned i) {
    return value([&] { return document_.Uint(i); });
  }
  bool Int64(std::int64_t i) {
    return value([&] { return document_.Int64(i); });
  }
  bool Uint64(std::uint64_t i) {
    return value([&] { return document_.Uint64(i); });
  }
  bool Double(double d) {
    return value([&] { return document_.Double(d); });
  }
  bool RawNumber(const char* s, rapidjson::SizeType n, bool copy) {
    return value([&] { return document_.RawNumber(s, n, copy); });
  }
  bool String(const char* s, rapidjson::SizeType n, bool copy) {
    return value([&] { return document_.String(s, n, copy); });
  }

  bool StartObject() { return enter() && (skipping() || document_.StartObject()); }
  bool StartArray() { return enter() && (skipping() || document_.StartArray()); }

  bool Key(const char* s, rapidjson::SizeType n, bool copy) {
    if (skipping()) return true;
    const std::string_view key(s, n);
    keys_.push_back(key);
    if (is_unread(key)) {
      skip_from_ = depth_;
      ++frames_[depth_ - 1].dropped;
      return true;
    }
    return document_.Key(s, n, copy);
  }

  bool EndObject(rapidjson::SizeType members) {
    if (skipping()) return leave_skipped();
    const Frame frame = frames_[--depth_];
    if (!unique_keys(frame.first_key)) return false;
    keys_.resize(frame.first_key);
    return document_.EndObject(members - frame.dropped);
  }

  bool EndArray(rapidjson::SizeType elements) {
    if (skipping()) return leave_skipped();
    --depth_;
    return document_.EndArray(elements);
  }

private:
  struct Frame {
    std::size_t first_key;
    rapidjson::SizeType dropped;
  };

  // Inside the value of an unread key, from the frame that holds the key on.
  [[nodiscard]] bool skipping() const { return skip_from_ != 0; }

  template <class Forward>
  bool value(Forward forward) {
    if (!skipping()) return forward();
    if (depth_ == skip_from_) skip_from_ = 0;
    return true;
  }

  bool enter() {
    if (depth_ == kMaxDepth) return refuse_depth();
    frames_[depth_++] = {keys_.size(), 0};
    return true;
  }

  bool leave_skipped() {
    if (--depth_ == skip_from_) skip_from_ = 0;
    return true;
  }

  [[nodiscard]] bool is_unread(std::string_view key) const {
    const auto depth = depth_ + offset_;
    if (depth < 2 || depth > 4) return false;
    if (depth_ == 1 && offset_ != 0) return false; // an object's own status is read
    return std::ranges::any_of(kUnread,
                               [&](const Unread& one) { return one.depth == depth && one.key == key; });
  }

  // Quadratic where that is fastest, sorted where it would be a hazard.
  bool unique_keys(std::size_t first) {
    const auto begin = keys_.begin() + static_cast<std::ptrdiff_t>(first);
    auto twice = keys_.end();
    if (keys_.end() - begin <= 16) {
      for (auto one = begin; one != keys_.end() && twice == keys_.end(); ++one) {
        if (std::find(begin, one, *one) != one) twice = one;
      }
    } else {
      std::sort(begin, keys_.end());
      twice = std::adjacent_find(begin, keys_.end());
    }
    return twice == keys_.end() || refuse_twice(*twice);
  }

  // Out of the way: what makes the texts would cost each object some instructions.
  [[gnu::cold]] bool refuse_depth() {
    fault_ = "nested more than " + std::to_string(kMaxDepth) + " levels deep";
    return false;
  }
  [[gnu::cold]] bool refuse_twice(std::string_view key) {
    fault_ = "the key " + in_quotes(key) + " is there twice in one object";
    return false;
  }

  rapidjson::Document& document_;
  std::size_t offset_;
  std::size_t skip_from_ = 0;
  std::size_t depth_ = 0;
  std::array<Frame, kMaxDepth> frames_; ///< of the objects and arrays that are open
  std::vector<std::string_view> keys_;
  std::string fault_;
};

std::string describe(const rapidjson::ParseResult& result, const Filter& filter) {
  if (result.Code() == rapidjson::kParseErrorTermination) return filter.fault();
  return rapidjson::GetParseError_En(result.Code());
}

} // namespace

Result<void> parse_in_place(std::string& text, Root root, rapidjson::Document& out) {
  constexpr unsigned kFlags =
      rapidjson::kParseInsituFlag | rapidjson::kParseIterativeFlag | rapidjson::kParseStopWhenDoneFlag;
  // Before the parser, not by it: one pass over plain bytes, instead of a look at each character of each
  // string.
  if (const auto good = plain_utf8_length(text); good != text.size())
    return fail("byte " + std::to_string(good), text[good] == '\0' ? "NUL is not JSON" : "not UTF-8");
  Filter filter(out, root);
  rapidjson::InsituStringStream stream(text.data());
  rapidjson::ParseResult result;
  std::size_t end = 0;
  auto generate = [&](rapidjson::Document&) {
    rapidjson::Reader reader;
    result = reader.Parse<kFlags>(stream, filter);
    end = stream.Tell();
    return !result.IsError();
  };
  out.Populate(generate);
  if (result.IsError()) return fail("byte " + std::to_string(result.Offset()), describe(result, filter));
  const auto rest = std::string_view(text).substr(end).find_first_not_of(" \t\r\n");
  if (rest != std::string_view::npos)
    return fail("byte " + std::to_string(end + rest), "something follows the JSON document");
  return {};
}

} // namespace fluxhook::admission
