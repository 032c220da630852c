#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <format>

#include "fluxhook/kube/client.h"
#include "kube/api_server.h"
#include "kube/splitter.h"

namespace fluxhook::kube::test {

namespace {

/// A page of a list; `names` become items.
std::string page(const std::vector<std::string>& names, const std::string& next,
                 const std::string& version = "9") {
  std::string items;
  for (const std::string& name : names)
    items +=
        std::format(R"({}{{"metadata":{{"name":"{}","namespace":"ns","uid":"u-{}","resourceVersion":"1"}}}})",
                    items.empty() ? "" : ",", name, name);
  return std::format(
      R"({{"kind":"List","items":[{}],"metadata":{{"resourceVersion":"{}","continue":"{}"}}}})", items,
      version, next);
}

struct Listed {
  std::vector<std::string> names;
  int restarts = 0;
  ApiResult<std::string> version;
};

Listed list(const ApiServer& server, ListOptions options = {}) {
  Listed listed;
  const ListSink sink{.item = [&](const Item& item) { listed.names.push_back(item.meta.name); },
                      .restart =
                          [&] {
                            ++listed.restarts;
                            listed.names.clear();
                          }};
  auto client = Client::open(server.config(), {.most = 5000});
  listed.version = (*client)->list("/list", options, sink);
  return listed;
}

/// The list of one answer.
Listed list_of(const std::string& body) {
  return list(ApiServer([&](const Call&, Peer& peer) { peer.send(answer(200, body)); }));
}

} // namespace

TEST_CASE("a list is read page by page", "[kube]") {
  const ApiServer server([](const Call& call, Peer& peer) {
    const std::string from = call.parameter("continue");
    peer.send(answer(200, from.empty()     ? page({"a", "b"}, "x=+/", "7")
                          : from == "x=+/" ? page({"c"}, "two", "7")
                                           : page({"d"}, "", "7")));
  });
  const Listed listed = list(server, {.label_selector = "a=b,c in (d)", .page = 2});
  CHECK(listed.version.value() == "7");
  CHECK(listed.names == std::vector<std::string>{"a", "b", "c", "d"});
  CHECK(server.calls().size() == 3);
  CHECK(server.calls().at(0).parameter("limit") == "2");
  CHECK(server.calls().at(2).parameter("labelSelector") == "a=b,c in (d)");
}

TEST_CASE("a list that expires on the way is begun again", "[kube]") {
  std::atomic<int> expire = 1;
  const ApiServer server([&](const Call& call, Peer& peer) {
    if (call.parameter("continue").empty()) peer.send(answer(200, page({"a"}, "next")));
    else if (expire-- > 0) peer.send(answer(410, status(410, "Expired", "too old")));
    else peer.send(answer(200, page({"b"}, "")));
  });
  Listed listed = list(server);
  CHECK(listed.restarts == 1);
  CHECK(listed.names == std::vector<std::string>{"a", "b"});
  expire = 1000;
  listed = list(server);
  REQUIRE(!listed.version);
  CHECK(listed.version.error().kind == ErrorKind::kGone);
  CHECK(listed.restarts == 2);
}

TEST_CASE("lists and watches of metadata alone ask for it, and take the objects of a server that has none",
          "[kube]") {
  // KEP-2016, kubernetes.io/docs/reference/using-api/api-concepts
  const ApiServer server([](const Call& call, Peer& peer) {
    if (call.parameter("watch").empty()) peer.send(answer(200, page({"a"}, "")));
    else peer.send(chunked_head() + std::string(kLastChunk));
  });
  CHECK(list(server, {.metadata_only = true}).names == std::vector<std::string>{"a"});
  const auto client = Client::open(server.config());
  CHECK((*client)->watch("/list", {.metadata_only = true}, [](const WatchEvent&) {}));
  CHECK(server.calls().at(0).header("Accept") ==
        "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json");
  CHECK(server.calls().at(1).header("Accept") ==
        "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json");
}

TEST_CASE("an empty list has a version to watch from", "[kube]") {
  const Listed listed = list_of(R"({"items":null,"metadata":{"resourceVersion":"3"}})");
  CHECK(listed.version.value() == "3");
  CHECK(listed.names.empty());
}

TEST_CASE("what is no list is an error, and nobody believes that there is nothing", "[kube]") {
  const auto body = GENERATE(from_range(std::vector<std::string>{
      "", "{}", "[]", "<html>", R"({"items":[)", R"({"items":[{}],"metadata":{}})",
      R"({"items":[1],"metadata":{}})", R"({"items":[{"metadata":{"name":"a"}]})",
      R"({"items":[{"metadata":{"name":"a"},}],"metadata":{}})", R"({"metadata":{"resourceVersion":"1"}})",
      R"({"items":[{"metadata":{}} )" + std::string(6000, ' '),
      R"({"items":[{"metadata":{},"x":")" + std::string(6000, 'x') + R"("}],"metadata":{}})",
      std::string(6000, 'x')}));
  INFO(body.substr(0, 60));
  const Listed listed = list_of(body);
  REQUIRE(!listed.version);
  CHECK(listed.version.error().kind == ErrorKind::kMalformed);
}

TEST_CASE("wherever the bytes of a list are cut, the items are the same", "[kube]") {
  const std::string body =
      R"( {"a":{"items":[{"no":1}]},"items" : [ {"metadata":{"name":"]}\"{"},"x":[{},[]]} , {"metadata":{"name":"\\"}}],)"
      R"("metadata":{"continue":"","items":[{}]}})";
  const auto size = GENERATE(range(std::size_t{1}, std::size_t{40}));
  Splitter splitter(Splitter::Objects::kItems, 1000);
  std::vector<std::string> items;
  const auto take = [&](std::string_view item) -> Result<void> {
    items.emplace_back(item);
    return {};
  };
  for (std::size_t at = 0; at < body.size(); at += size)
    REQUIRE(splitter.feed(std::string_view(body).substr(at, size), take));
  CHECK(items == std::vector<std::string>{R"({"metadata":{"name":"]}\"{"},"x":[{},[]]})",
                                          R"({"metadata":{"name":"\\"}})"});
  CHECK(splitter.rest() ==
        R"( {"a":{"items":[{"no":1}]},"items" : [],"metadata":{"continue":"","items":[{}]}})");
  CHECK(!splitter.within());
}

TEST_CASE("a member is found as it is written, and only at the top", "[kube]") {
  const std::string_view text = R"({"a" : {"type":"x"}, "type": "ADDED" ,"object":{"b":"}\""}})";
  CHECK(raw_member(text, "type") == "\"ADDED\"");
  CHECK(raw_member(text, "object") == R"({"b":"}\""})");
  CHECK(raw_member(text, "b") == std::nullopt);
  CHECK(raw_member("[]", "a") == std::nullopt);
  CHECK(raw_member("{\"a\":", "a") == std::nullopt);
  CHECK(raw_member("{\"a", "a") == std::nullopt);
}

} // namespace fluxhook::kube::test
