#include "fluxhook/server/log.h"

#include <cstdio>
#include <memory>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

using fluxhook::server::Log;
using fluxhook::server::LogFormat;
using fluxhook::server::LogLevel;
using fluxhook::server::parse_log_level;

namespace {

/// What `write` logs.
template <class Write>
std::string logged(LogFormat format, LogLevel level, Write write) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), std::fclose);
  write(Log(format, level, file.get()));
  REQUIRE(std::fseek(file.get(), 0, SEEK_SET) == 0);
  std::string text(100'000, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  return text;
}

std::string info(LogFormat format, std::string_view value) {
  return logged(format, LogLevel::kInfo, [&](const Log& log) { log.info("review", {{"name", value}}); });
}

} // namespace

TEST_CASE("a line of text has the time, the level, the message and the values", "[server]") {
  const std::string line = logged(LogFormat::kText, LogLevel::kInfo, [](const Log& log) {
    log.info("review", {{"uid", "a-1"}, {"count", std::int64_t{7}}, {"ms", 0.25}, {"why", "two words"}});
  });
  CHECK(line.substr(4, 1) == "-");
  CHECK(line.substr(23) == "Z info review uid=a-1 count=7 ms=0.250 why=\"two words\"\n");
}

TEST_CASE("a line of JSON is one object with the same", "[server]") {
  const std::string line = logged(LogFormat::kJson, LogLevel::kInfo, [](const Log& log) {
    log.warn("not ready", {{"uid", "a\"b"}, {"count", std::int64_t{7}}, {"ms", 0.25}});
  });
  const auto json = nlohmann::json::parse(line);
  CHECK(json["level"] == "warning");
  CHECK(json["message"] == "not ready");
  CHECK(json["uid"] == "a\"b");
  CHECK(json["count"] == 7);
  CHECK(json["ms"] == 0.25);
  CHECK(json["time"].get<std::string>().ends_with("Z"));
}

TEST_CASE("no value can forge a line or reach the terminal", "[server]") {
  for (const char* value : {"a\nb", "a\r\nb", "a\x1b[31mb", "a\u2028b", "a\xff\xfe", "a b=c", "", "a\"} {\"",
                            "a\tb", "\u202e", "%v{}"}) {
    CAPTURE(value);
    const std::string text = info(LogFormat::kText, value);
    CHECK(text.find('\n') == text.size() - 1);
    CHECK(text.find_first_of(std::string("\r\x1b\t\0", 4)) == std::string::npos);
    CHECK(text.substr(23).starts_with("Z info review name=\""));
    const std::string json = info(LogFormat::kJson, value);
    CHECK(json.find('\n') == json.size() - 1);
    CHECK(nlohmann::json::parse(json)["name"].is_string());
    CHECK(nlohmann::json::parse(json).size() == 4);
  }
}

TEST_CASE("a value of a megabyte does not make a line of a megabyte", "[server]") {
  const std::string uid(1U << 20U, 'x');
  CHECK(info(LogFormat::kText, uid).size() < 1000);
  CHECK(info(LogFormat::kJson, uid).size() < 1000);
  std::string umlauts;
  while (umlauts.size() < 1000)
    umlauts += "\u00e4";
  const auto json = nlohmann::json::parse(info(LogFormat::kJson, "x" + umlauts)); // cut within a character
  CHECK_FALSE(json["name"].get<std::string>().contains("\ufffd"));
}

TEST_CASE("a level silences those below it", "[server]") {
  const auto lines = [](LogLevel level) {
    return logged(LogFormat::kText, level, [](const Log& log) {
      log.write(LogLevel::kDebug, "debug");
      log.info("info");
      log.error("error");
    });
  };
  CHECK(lines(LogLevel::kDebug).contains("debug debug\n"));
  CHECK_FALSE(lines(LogLevel::kInfo).contains("debug"));
  CHECK_FALSE(lines(LogLevel::kWarn).contains("info"));
  CHECK(lines(LogLevel::kWarn).contains("error error\n"));
  CHECK(lines(LogLevel::kOff).empty());
  CHECK(parse_log_level("warn") == LogLevel::kWarn);
  CHECK_FALSE(parse_log_level("loud"));
}
