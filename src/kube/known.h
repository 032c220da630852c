#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>

#include "fluxhook/kube/client.h"
#include "fluxhook/kube/follow.h"

namespace fluxhook::kube {

/// The objects that a handler has been told of, and what it has to be told next. Pure: no I/O.
class Known {
public:
  using Tell = std::function<void(Change, const Item&)>;

  explicit Known(Tell tell) : tell_(std::move(tell)) {}

  /// A list begins, or begins again.
  void begin_list() { ++list_; }
  void listed(const Item& item) { put(item); }
  /// It is whole: what was not in it is gone.
  void end_list();
  /// An event of a watch. Bookmarks say nothing about objects.
  void take(const WatchEvent& event);

  [[nodiscard]] std::size_t size() const { return objects_.size(); }

private:
  struct Object {
    std::string uid, resource_version;
    std::uint32_t list = 0; ///< that had it last
  };
  using Objects = std::unordered_map<std::string, Object>; ///< by NAMESPACE/NAME

  void put(const Item& item);
  [[nodiscard]] static Item gone(const std::string& key, const Object& object);

  Tell tell_;
  Objects objects_;
  std::uint32_t list_ = 0;
};

} // namespace fluxhook::kube
