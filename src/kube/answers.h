#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "fluxhook/kube/client.h"
#include "kube/splitter.h"

namespace fluxhook::kube {

/// The end of a page of a list.
struct PageEnd {
  std::string version; ///< of the list: to watch from
  std::string next;    ///< to ask for the next page with; empty: this was the last one
};

/// Reads a page of a list while it comes in. Pure: no I/O.
class PageReader {
public:
  /// `most`: bytes of an item, and of what is around the items.
  PageReader(std::size_t most, std::function<void(const Item&)> item)
      : splitter_(Splitter::Objects::kItems, most), item_(std::move(item)) {}

  /// Takes bytes, and hands over each item that is whole now. Error: what is no list of objects.
  [[nodiscard]] Result<void> feed(std::string_view bytes);
  /// All bytes were fed. Error: that was no list.
  [[nodiscard]] Result<PageEnd> end() const;

private:
  Splitter splitter_;
  std::function<void(const Item&)> item_;
};

/// Reads the events of a watch while they come in. Pure: no I/O.
class EventReader {
public:
  /// `most`: bytes of an event.
  EventReader(std::size_t most, std::function<void(const WatchEvent&)> event)
      : splitter_(Splitter::Objects::kStream, most), event_(std::move(event)) {}

  /// Takes bytes, and hands over each event that is whole now. Error: what is no event; or an ERROR event,
  /// which is the last one, and which error() then has.
  [[nodiscard]] Result<void> feed(std::string_view bytes);
  /// What an ERROR event said; its `where` is for the caller to fill in.
  [[nodiscard]] const std::optional<ApiError>& error() const { return error_; }
  /// Whether the bytes so far end within an event.
  [[nodiscard]] bool within() const { return splitter_.within(); }

private:
  [[nodiscard]] Result<void> take(std::string_view text);

  Splitter splitter_;
  std::function<void(const WatchEvent&)> event_;
  std::optional<ApiError> error_;
};

} // namespace fluxhook::kube
