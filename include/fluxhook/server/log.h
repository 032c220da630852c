#pragma once

#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "fluxhook/base/result.h"

namespace spdlog {
class logger;
}

namespace fluxhook::server {

/// "message key=value …", or a JSON object a line.
enum class LogFormat : std::uint8_t { kText, kJson };
enum class LogLevel : std::uint8_t { kTrace, kDebug, kInfo, kWarn, kError, kOff };

/// trace, debug, info, warn, error or off. Error: anything else.
[[nodiscard]] Result<LogLevel> parse_log_level(std::string_view text);

/// One line an event, of a message and named values; thread-safe. Whatever a value holds, the line stays one
/// line of printable UTF-8 and nobody can forge another: text values are quoted where they are not plain
/// words.
class Log {
public:
  struct Field {
    std::string_view key; ///< a plain word
    std::variant<std::string_view, std::int64_t, double> value;
  };
  using Fields = std::initializer_list<Field>;

  /// Writes to `file`, which stays the caller's.
  explicit Log(LogFormat format = LogFormat::kText, LogLevel level = LogLevel::kInfo,
               std::FILE* file = stderr);
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  /// A line, unless the level hides it. The message is our own words: one line, printable.
  void write(LogLevel level, std::string_view message, std::span<const Field> fields) const;
  void write(LogLevel level, std::string_view message, Fields fields = {}) const {
    write(level, message, std::span(fields.begin(), fields.size()));
  }
  /// A line at level info that no level hides: what scripts wait for.
  void announce(std::string_view message, Fields fields = {}) const;
  void info(std::string_view message, Fields fields = {}) const { write(LogLevel::kInfo, message, fields); }
  void warn(std::string_view message, Fields fields = {}) const { write(LogLevel::kWarn, message, fields); }
  void error(std::string_view message, Fields fields = {}) const { write(LogLevel::kError, message, fields); }

private:
  LogFormat format_;
  std::shared_ptr<spdlog::logger> logger_;
};

} // namespace fluxhook::server
