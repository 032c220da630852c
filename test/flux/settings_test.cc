#include "fluxhook/flux/setting_table.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "flux/setting_values.h"

using namespace fluxhook;
using namespace fluxhook::flux;
using namespace fluxhook::flux::values;

namespace {

const SettingInfo& setting(std::string_view name) {
  const auto* row = find_setting(name);
  INFO(name);
  REQUIRE(row != nullptr);
  return *row;
}

/// A value other than the default of each setting.
Settings changed() {
  Settings all;
  for (const auto& row : good())
    if (row.text != setting(row.name).write(Settings{})) CHECK_FALSE(setting(row.name).read(row.text, all));
  return all;
}

} // namespace

TEST_CASE("every good value of a setting is read, and written as it was or in its plain form", "[flux]") {
  std::set<std::string_view> seen;
  for (const auto& row : good()) {
    INFO(row.name << ": " << row.text);
    Settings settings;
    const auto fault = setting(row.name).read(row.text, settings);
    INFO((fault ? fault->message() : ""));
    REQUIRE_FALSE(fault);
    CHECK(setting(row.name).write(settings) == (row.written.empty() ? row.text : row.written));
    seen.insert(row.name);
  }
  CHECK(seen.size() == kSettingCount);
}

TEST_CASE("every bad value of a setting is refused in the API server's words, and changes nothing",
          "[flux]") {
  std::set<std::string_view> seen;
  for (const auto* rows : {&bad_numbers(), &bad_words(), &bad_names()}) {
    for (const auto& row : *rows) {
      INFO(row.name << ": " << row.text);
      auto settings = changed();
      const auto fault = setting(row.name).read(row.text, settings);
      REQUIRE(fault);
      const auto error = fault.value_or(k8s::FieldError{});
      if (rows == &bad_names()) CHECK(error.message().starts_with(row.message));
      else CHECK(error.message() == row.message);
      CHECK(error.field.empty());
      CHECK(settings == changed());
      seen.insert(row.name);
    }
  }
  CHECK(seen.size() == kSettingCount);
}

TEST_CASE("the defaults are those of docs/settings.md", "[flux]") {
  const std::map<std::string_view, std::string_view> kDefaults{
      {"num-proc-per-node", "1"}, {"replicated-jobs", ""},
      {"container", ""},          {"view-image", "ghcr.io/converged-computing/flux-view-ubuntu:tag-jammy"},
      {"network-device", "eth0"}, {"queue-policy", "fcfs"},
      {"interactive", "false"},   {"pmi", "auto"},
      {"run-options", ""},        {"cores-per-task", ""},
      {"topology", ""},           {"connect-timeout", "5s"},
      {"log-level", "4"},         {"curve-secret", ""},
      {"shm-size", ""},           {"affinity", "true"},
      {"complete-on", "all"},
  };
  REQUIRE(setting_table().size() == kDefaults.size());
  for (const auto& row : setting_table()) {
    INFO(row.name);
    CHECK(row.write(Settings{}) == kDefaults.at(row.name));
  }
}

TEST_CASE("three settings can come from the container's environment", "[flux]") {
  std::map<std::string_view, std::string_view> found;
  for (const auto& row : setting_table())
    if (!row.env.empty()) found[row.name] = row.env;
  CHECK(found == std::map<std::string_view, std::string_view>{{"view-image", "FLUX_VIEW_IMAGE"},
                                                              {"network-device", "FLUX_NETWORK_DEVICE"},
                                                              {"queue-policy", "FLUX_QUEUE_POLICY"}});
}

TEST_CASE("a setting is found by its whole name alone", "[flux]") {
  for (const auto& row : setting_table())
    CHECK(find_setting(row.name) == &row);
  CHECK(std::ranges::is_sorted(setting_table(), {}, &SettingInfo::name));
  for (const auto* name : {"", "a", "num-proc", "num-proc-per-node ", "Affinity", "view-image2", "zzz",
                           "flux-framework.org/pmi", "injected", "inject"})
    CHECK(find_setting(name) == nullptr);
}

TEST_CASE("settings that are written can be read again, all of them", "[flux]") {
  const auto before = changed();
  Settings after;
  for (const auto& row : setting_table())
    if (const auto text = row.write(before); !text.empty()) CHECK_FALSE(row.read(text, after));
  CHECK(before != Settings{});
  CHECK(after == before);
}

TEST_CASE("a setting is copied alone", "[flux]") {
  const auto from = changed();
  for (const auto& row : setting_table()) {
    INFO(row.name);
    Settings expected;
    CHECK_FALSE(row.read(row.write(from), expected));
    Settings to;
    row.copy(from, to);
    CHECK(to == expected);
    CHECK(to != Settings{});
  }
}

TEST_CASE("an annotation's field path is the API server's", "[flux]") {
  CHECK(annotation_field("pmi") == "metadata.annotations[flux-framework.org/pmi]");
}
