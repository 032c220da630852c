#pragma once

#include <string>
#include <string_view>

#include "fluxhook/base/result.h"

namespace fluxhook::kube {

/// A kind of object, as the API server's paths name it. The core group is "".
struct Resource {
  std::string group;
  std::string version;
  std::string plural;
};

/// The path of the resource's list, or of one object: /apis/GROUP/VERSION/namespaces/NS/PLURAL/NAME. Without
/// a namespace: all namespaces, or a resource that has none. Characters that can't stand in a path are
/// escaped.
[[nodiscard]] std::string path_of(const Resource& resource, std::string_view name_space = {},
                                  std::string_view name = {});

/// What identifies an object, and which version of it this is.
struct ObjectMeta {
  std::string name_space; ///< "" for what has none
  std::string name;
  std::string uid;
  std::string resource_version; ///< opaque: to compare for equality, to hand back to the server

  bool operator==(const ObjectMeta&) const = default;
};

/// An object as it came from the server. Its text is valid during the call that hands it over.
struct Item {
  ObjectMeta meta;
  std::string_view json;
};

/// Reads an object's metadata, and checks that all of it is JSON. Error: it is not, or has no metadata.
[[nodiscard]] Result<ObjectMeta> read_meta(std::string_view json);

} // namespace fluxhook::kube
