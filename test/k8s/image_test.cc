#include <catch2/catch_test_macros.hpp>

#include <string>
#include <string_view>

#include "fluxhook/k8s/names.h"

using namespace fluxhook::k8s;
using namespace std::literals;

namespace {

const std::string kHex128 = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
                            "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
const std::string kHex64 = kHex128.substr(0, 64);

bool mentions(const std::string& text, std::string_view word) { return text.find(word) != std::string::npos; }

} // namespace

// github.com/distribution/reference 0.6.0 takes these and refuses those below.
TEST_CASE("image references are those that container runtimes read", "[k8s]") {
  const std::string good[] = {
      "ubuntu",
      "ubuntu:22.04",
      "library/ubuntu",
      "ghcr.io/converged-computing/flux-view-ubuntu:tag-jammy",
      "localhost/app:test",
      "localhost:5000/app",
      "host:5000/a/b:1",
      "host:5000",
      "[::1]:5000/app:1",
      "[2001:db8::1]/a",
      "127.0.0.1:80/x",
      "a__b",
      "a.b",
      "a-b--c---d",
      "a_b/c",
      "UPPER.io/a",
      "Foo/bar",
      "Foo/bar/baz",
      "x:" + std::string(128, 't'),
      "x:_1.a-b",
      "x@sha256:" + kHex64,
      "x:1@sha256:" + kHex64,
      "x@sha384:" + kHex128.substr(0, 96),
      "x@sha512:" + kHex128,
      "gcr.io/" + std::string(255, 'a'),
      "a/" + std::string(253, 'a'),
      "ex--ample.com/a",
      "0/0",
      "a:5/b",
  };
  for (const std::string& image : good) {
    CAPTURE(image);
    CHECK(check_image(image).empty());
  }
}

TEST_CASE("what is no image reference is refused in words that say what one is", "[k8s]") {
  for (std::string_view image : {"",
                                 ":",
                                 "@",
                                 ":1",
                                 "-a",
                                 "a-",
                                 "a___b",
                                 "a..b",
                                 "a._b",
                                 "a.-b",
                                 "/a",
                                 "a/",
                                 "a//b",
                                 "a b",
                                 " a",
                                 "a ",
                                 "a\n",
                                 "host:port/a",
                                 "[::1/a",
                                 "[::1]",
                                 "[::1]:1",
                                 "[]/a",
                                 "[zz]/a",
                                 "host:/a",
                                 "-host.io/a",
                                 "host-/a",
                                 "a/[::1]/b",
                                 "\xc3\xa9",
                                 "$(id)",
                                 "a:b/c:d",
                                 "https://ghcr.io/a",
                                 "localhost:5000/",
                                 "`id`",
                                 "a'b",
                                 "a\"b"}) {
    CAPTURE(image);
    CHECK(mentions(check_image(image), "[domain/]path[:tag][@digest]"));
  }
  CHECK(mentions(check_image("a\0b"sv), "[domain/]path[:tag][@digest]"));
}

TEST_CASE("of an image reference with one wrong part, the part is named", "[k8s]") {
  for (std::string_view image : {"UPPER", "Ubuntu:1", "x/Y"}) {
    CAPTURE(image);
    CHECK(check_image(image) == "an image's path must be in lower case");
  }
  for (const std::string& image :
       {"x:"s, "x:1:2"s, "x:-a"s, "x:.a"s, "x:\xc3\xa9"s, "x:" + std::string(129, 't')}) {
    CAPTURE(image);
    CHECK(mentions(check_image(image), "an image's tag must be"));
  }
  for (const std::string& image :
       {"x@"s, "x@sha256:" + kHex64.substr(1), "x@sha256:" + kHex64 + "0", "x@md5:" + kHex64.substr(0, 32),
        "x@sha256:" + kHex64 + ":1", "x@sha256:" + std::string(64, 'A'), "x@" + kHex64}) {
    CAPTURE(image);
    CHECK(mentions(check_image(image), "an image's digest must be"));
  }
  CHECK(check_image("gcr.io/" + std::string(256, 'a')) ==
        "an image's path must be no more than 255 characters");
  CHECK(check_image(std::string(256, 'a')) == "an image's path must be no more than 255 characters");
  CHECK(check_image(kHex64) == "must be an image reference, not an image's id");
}

TEST_CASE("an image floats when nothing says which one it is", "[k8s]") {
  CHECK(image_floats("ubuntu"));
  CHECK(image_floats("localhost:5000/app"));
  CHECK(image_floats("ubuntu:latest"));
  CHECK_FALSE(image_floats("ubuntu:22.04"));
  CHECK_FALSE(image_floats("localhost:5000/app:latest-1"));
  CHECK_FALSE(image_floats("ubuntu@sha256:" + kHex64));
  CHECK_FALSE(image_floats("ubuntu:latest@sha256:" + kHex64));
}
