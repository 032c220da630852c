#include "fluxhook/files/read.h"

#include <sys/stat.h>

#include <catch2/catch_test_macros.hpp>

#include "kube/temporary.h"

namespace fluxhook::files::test {

using kube::test::Temporary;

namespace {

std::string fault_of(const std::string& path) { return read_small(path).error().text(); }

} // namespace

TEST_CASE("a small file is read whole, up to 1 MiB", "[files]") {
  const Temporary folder;
  const std::string bytes("a\0b\n\r\xff", 6);
  CHECK(read_small(folder.write("file", bytes)).value() == bytes);
  const std::string most(1U << 20U, 'x');
  CHECK(read_small(folder.write("file", most)).value() == most);
}

TEST_CASE("a file that is empty, larger or can't be read is named", "[files]") {
  const Temporary folder;
  const std::string path = folder.write("file", "");
  CHECK(fault_of(path) == path + ": is empty");
  CHECK(fault_of(folder.write("file", std::string((1U << 20U) + 1, 'x'))) ==
        path + ": is larger than 1 MiB: no certificate, key or token is");
  const std::string missing = folder.at("missing");
  CHECK(fault_of(missing) == missing + ": can't be read: No such file or directory");
}

TEST_CASE("a pipe, a folder and a device are refused at once, and a link leads to its file", "[files]") {
  const Temporary folder;
  const std::string pipe = folder.at("pipe"), link = folder.at("link");
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  for (const std::string& path : {pipe, folder.at(""), std::string("/dev/zero")})
    CHECK(fault_of(path) == path + ": is no regular file");
  std::filesystem::create_symlink(folder.write("file", "text"), link);
  CHECK(read_small(link).value() == "text");
}

} // namespace fluxhook::files::test
