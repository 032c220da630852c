#include "server/head.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <format>

#include "fluxhook/base/ascii.h"
#include "fluxhook/base/text.h"

namespace fluxhook::server {

namespace {

using namespace std::string_view_literals;

using Fault = std::optional<Refusal>;

Fault bad(std::string message, int status = 400) { return Refusal{status, std::move(message)}; }

/// RFC 9110, 5.6.2: what methods and field names consist of.
bool is_token(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return is_alphanumeric(c) || "!#$%&'*+-.^_`|~"sv.contains(c);
  });
}

bool is_control(unsigned char c) { return (c < 0x20 && c != '\t') || c == 0x7f; }

/// Whether a comma-separated field value has the word.
bool has_word(std::string_view value, std::string_view word) {
  return std::ranges::any_of(split(value, ','), [&](auto part) { return equals_ignoring_case(part, word); });
}

/// A Go duration of one unit, as client-go writes the timeout of a webhook: 10s; also ms and m.
std::optional<std::chrono::milliseconds> parse_timeout(std::string_view text) {
  struct Unit {
    std::string_view suffix;
    std::chrono::milliseconds one;
  };
  static constexpr std::array kUnits{Unit{"ms", std::chrono::milliseconds(1)},
                                     Unit{"s", std::chrono::seconds(1)}, Unit{"m", std::chrono::minutes(1)}};
  const auto* const unit = std::ranges::find_if(kUnits, [&](auto u) { return text.ends_with(u.suffix); });
  if (unit == kUnits.end()) return std::nullopt;
  text.remove_suffix(unit->suffix.size());
  int count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size() || count <= 0 || count > 1'000'000)
    return std::nullopt;
  return count * unit->one;
}

/// Collects a head line by line.
class Reader {
public:
  Fault request_line(std::string_view line);
  Fault field(std::string_view line, std::size_t offset);
  Fault finish(std::string_view input, std::size_t size, std::size_t max_body);

  Head head;

private:
  Fault target(std::string_view target);
  Fault content_length(std::string_view value);

  bool http_1_0_ = false;
  bool transfer_encoding_ = false;
  std::size_t hosts_ = 0, lengths_ = 0, fields_ = 0;
  std::size_t expect_begin_ = 0, expect_size_ = 0; ///< the Expect line's place
};

Fault Reader::request_line(std::string_view line) {
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  const std::string_view version = line.substr(last + 1);
  if (last <= first || last == line.npos || !is_token(line.substr(0, first)) || !version.starts_with("HTTP/"))
    return bad("the request line must be METHOD TARGET HTTP/1.1, or HTTP/1.0");
  if (version != "HTTP/1.1" && version != "HTTP/1.0")
    return bad("only HTTP/1.1 and HTTP/1.0 are spoken here", 505);
  http_1_0_ = version == "HTTP/1.0";
  head.keep_alive = !http_1_0_;
  head.method = line.substr(0, first);
  return target(line.substr(first + 1, last - first - 1));
}

Fault Reader::target(std::string_view target) {
  if (!target.starts_with('/') ||
      !std::ranges::all_of(target, [](unsigned char c) { return c > 0x20 && c < 0x7f && c != '#'; }))
    return bad("the request's target must be a path of printable ASCII characters");
  const std::size_t query = target.find('?');
  if (query == target.npos) return {};
  for (const std::string_view part : split(target.substr(query + 1), '&')) {
    if (!part.starts_with("timeout=")) continue;
    const auto timeout = parse_timeout(part.substr(part.find('=') + 1));
    if (!timeout)
      return bad("timeout: must be a duration such as 10s, not " +
                 in_quotes(part.substr(part.find('=') + 1)));
    head.timeout = *timeout;
  }
  return {};
}

Fault Reader::content_length(std::string_view value) {
  if (++lengths_ > 1) return bad("there must be one Content-Length, not several");
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), head.content_length);
  if (value.empty() || end != value.data() + value.size() || error == std::errc::invalid_argument)
    return bad("Content-Length: must be a number of bytes, not " + in_quotes(value));
  if (error == std::errc::result_out_of_range) head.content_length = static_cast<std::size_t>(-1);
  return {};
}

Fault Reader::field(std::string_view line, std::size_t offset) {
  if (++fields_ > kMaxFields)
    return bad(std::format("there must be at most {} header fields", kMaxFields), 431);
  const std::size_t colon = line.find(':');
  if (colon == line.npos || !is_token(line.substr(0, colon)))
    return bad("a header field must be NAME: VALUE on one line, not " + in_quotes(line.substr(0, 80)));
  const std::string_view name = line.substr(0, colon);
  const std::string_view value = trim(line.substr(colon + 1));
  if (std::ranges::any_of(value, is_control))
    return bad(std::format("header field {}: control characters are not allowed", name));
  const auto named = [&](std::string_view other) { return equals_ignoring_case(name, other); };
  if (named("Content-Length")) return content_length(value);
  if (named("Transfer-Encoding")) transfer_encoding_ = true;
  if (named("Content-Encoding") && !equals_ignoring_case(value, "identity"))
    return bad("Content-Encoding: the body must not be encoded", 415);
  if (named("Range")) return bad("Range is not served here");
  if (named("Host")) ++hosts_;
  if (named("Connection") && has_word(value, "close")) head.keep_alive = false;
  if (named("Expect") && !value.empty()) { // RFC 9110, 10.1.1: a list, which may be empty
    if (!equals_ignoring_case(value, "100-continue") || head.expects_continue)
      return bad("Expect: only 100-continue is understood", 417);
    head.expects_continue = true;
    expect_begin_ = offset;
    expect_size_ = line.size() + 2;
  }
  return {};
}

Fault Reader::finish(std::string_view input, std::size_t size, std::size_t max_body) {
  if (transfer_encoding_)
    return bad("Transfer-Encoding is not taken here: send the body with Content-Length",
               lengths_ == 0 ? 411 : 400);
  if (hosts_ != 1 && !(http_1_0_ && hosts_ == 0)) return bad("there must be one Host field");
  if (lengths_ == 0 && (head.method == "POST" || head.method == "PUT" || head.method == "PATCH"))
    return bad("Content-Length is missing", 411);
  if (head.content_length > max_body)
    return bad(std::format("the body must be at most {} bytes", max_body), 413);
  if (head.content_length > 0 && (head.method == "GET" || head.method == "HEAD"))
    return bad("a " + head.method + " must have no body");
  head.size = size;
  head.text = input.substr(0, size);
  head.text.erase(expect_begin_, expect_size_);
  return {};
}

} // namespace

std::expected<std::optional<Head>, Refusal> parse_head(std::string_view input, std::size_t max_body) {
  Reader reader;
  for (std::size_t begin = 0;;) {
    const std::size_t newline = input.find('\n', begin);
    const std::size_t end = std::min(newline, input.size());
    if (end > kMaxHead || end - begin > kMaxLine)
      return std::unexpected(Refusal{
          begin == 0 ? 414 : 431,
          std::format("the request's head must be at most {} bytes, a line of it {}", kMaxHead, kMaxLine)});
    if (newline == input.npos) return std::nullopt;
    if (newline == begin || input[newline - 1] != '\r')
      return std::unexpected(Refusal{400, "a line of the request's head must end with CR LF"});
    const std::string_view line = input.substr(begin, newline - 1 - begin);
    Fault fault;
    if (begin == 0) fault = reader.request_line(line);
    else if (line.empty()) fault = reader.finish(input, newline + 1, max_body);
    else fault = reader.field(line, begin);
    if (fault) return std::unexpected(std::move(*fault));
    if (begin != 0 && line.empty()) return std::move(reader.head);
    begin = newline + 1;
  }
}

} // namespace fluxhook::server
