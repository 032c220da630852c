#include "fluxhook/flux/templates.h"

#include <catch2/catch_test_macros.hpp>

#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

namespace {

std::string file(const std::string& name) {
  std::ifstream in(FLUXHOOK_SOURCE_DIR "/templates/" + name, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

} // namespace

TEST_CASE("the embedded templates are the files of templates/, byte for byte", "[flux]") {
  const auto& t = fluxhook::flux::templates();
  CHECK(t.init_sh == file("init.sh"));
  CHECK(t.entrypoint_sh == file("entrypoint.sh"));
  CHECK(t.job_sh == file("job.sh"));
  CHECK(t.broker_toml == file("broker.toml"));
  CHECK(t.curve_cert == file("curve.cert"));
}
