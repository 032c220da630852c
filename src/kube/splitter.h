#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "fluxhook/base/result.h"

namespace fluxhook::kube {

/// Finds where JSON objects begin and end in bytes that come in pieces, so that a list of any length costs
/// the memory of one object. It looks at brackets and strings only: whether an object is JSON, its reader
/// says.
class Splitter {
public:
  enum class Objects : std::uint8_t {
    kStream, ///< one after another: a watch
    kItems,  ///< those in the member `items` of one object: a list
  };
  using Sink = std::function<Result<void>(std::string_view object)>;

  /// `most`: bytes of an object, and of what is around the items.
  Splitter(Objects objects, std::size_t most) : objects_(objects), most_(most) {}

  /// Takes bytes and calls `sink` for each object that is whole now. Error: the sink's; something that is no
  /// object; an object that is too large.
  [[nodiscard]] Result<void> feed(std::string_view bytes, const Sink& sink);

  /// kItems: the object without its items. Whole at the end of the bytes.
  [[nodiscard]] const std::string& rest() const { return rest_; }
  /// Whether the bytes so far end within an object.
  [[nodiscard]] bool within() const { return depth_ != 0; }

private:
  [[nodiscard]] std::size_t level() const { return objects_ == Objects::kStream ? 0 : 2; }
  [[nodiscard]] bool between_objects() const {
    return depth_ == level() && (objects_ == Objects::kStream || in_items_);
  }
  void look(char c); ///< follows strings, brackets and the top keys

  Objects objects_;
  std::size_t most_;
  std::string object_, rest_;
  std::string key_; ///< the last string at the top, cut
  std::size_t depth_ = 0;
  bool in_string_ = false, escaped_ = false, in_object_ = false, in_items_ = false, after_colon_ = false;
};

/// The value of a member at the top of an object, as it is written; none when it isn't there.
[[nodiscard]] std::optional<std::string_view> raw_member(std::string_view object, std::string_view key);

} // namespace fluxhook::kube
