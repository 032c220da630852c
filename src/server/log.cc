#include "fluxhook/server/log.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <format>
#include <mutex>
#include <utility>

#include <spdlog/details/log_msg.h>
#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>

#include "fluxhook/base/text.h"
#include "server/status.h"

namespace fluxhook::server {

namespace {

constexpr std::array<std::string_view, 6> kLevels{"trace", "debug", "info", "warn", "error", "off"};

/// As in the enumeration.
constexpr std::array kSpdlogLevels{spdlog::level::trace, spdlog::level::debug, spdlog::level::info,
                                   spdlog::level::warn,  spdlog::level::err,   spdlog::level::off};

spdlog::level::level_enum spdlog_level(LogLevel level) { return kSpdlogLevels[std::to_underlying(level)]; }

/// Writes to a FILE that is not its own: spdlog's own sinks for streams take stdout and stderr alone.
class FileSink final : public spdlog::sinks::base_sink<std::mutex> {
public:
  explicit FileSink(std::FILE* file) : file_(file) {}

private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    std::fwrite(line.data(), 1, line.size(), file_); // a full disk loses lines, not reviews
    std::fflush(file_);
  }
  void flush_() override { std::fflush(file_); }

  std::FILE* file_;
};

/// Whether `text` can stand in a line as it is.
bool plain_word(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view("-_./:+@%,[]").contains(static_cast<char>(c));
  });
}

constexpr std::size_t kMaxValue = 512; ///< bytes of a value in a line: a caller can send a uid of a megabyte

std::string text_value(const Log::Field& field) {
  if (const auto* text = std::get_if<std::string_view>(&field.value))
    return plain_word(cut(*text, kMaxValue)) ? std::string(cut(*text, kMaxValue))
                                             : in_quotes(cut(*text, kMaxValue));
  if (const auto* number = std::get_if<double>(&field.value)) return std::format("{:.3f}", *number);
  return std::to_string(std::get<std::int64_t>(field.value));
}

std::string json_value(const Log::Field& field) {
  const auto* text = std::get_if<std::string_view>(&field.value);
  return text != nullptr ? json_string(cut(*text, kMaxValue)) : text_value(field);
}

std::string line(LogFormat format, std::string_view message, std::span<const Log::Field> fields) {
  std::string line = format == LogFormat::kJson ? json_string(message) : std::string(message);
  for (const Log::Field& field : fields)
    line += format == LogFormat::kJson ? std::format(R"(,"{}":{})", field.key, json_value(field))
                                       : std::format(" {}={}", field.key, text_value(field));
  return line;
}

} // namespace

Result<LogLevel> parse_log_level(std::string_view text) {
  const auto* const found = std::ranges::find(kLevels, text);
  if (found == kLevels.end())
    return fail("log level", in_quotes(text) + ": must be trace, debug, info, warn, error or off");
  return static_cast<LogLevel>(found - kLevels.begin());
}

Log::Log(LogFormat format, LogLevel level, std::FILE* file)
    : format_(format), logger_(std::make_shared<spdlog::logger>("", std::make_shared<FileSink>(file))) {
  const char* const pattern = format == LogFormat::kJson
                                  ? R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l","message":%v})"
                                  : "%Y-%m-%dT%H:%M:%S.%eZ %l %v";
  logger_->set_formatter(
      std::make_unique<spdlog::pattern_formatter>(pattern, spdlog::pattern_time_type::utc));
  logger_->set_level(spdlog_level(level));
}

Log::~Log() = default;

void Log::write(LogLevel level, std::string_view message, std::span<const Field> fields) const {
  const auto spdlog_level_of_line = spdlog_level(level);
  if (logger_->should_log(spdlog_level_of_line))
    logger_->log(spdlog_level_of_line, line(format_, message, fields));
}

void Log::announce(std::string_view message, Fields fields) const {
  const std::string text = line(format_, message, std::span(fields.begin(), fields.size()));
  logger_->sinks().front()->log(spdlog::details::log_msg({}, spdlog::level::info, text));
}

} // namespace fluxhook::server
