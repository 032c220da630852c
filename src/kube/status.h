#pragma once

#include <string>
#include <string_view>

#include "fluxhook/kube/error.h"

namespace fluxhook::kube {

/// What an answer other than 2xx says: a Status, or whatever a proxy wrote instead. `code` 0: the Status has
/// it (an ERROR event).
[[nodiscard]] ApiError read_status(std::string_view body, int code, std::string where);

/// `text` in one printable line, cut to a length that can be shown.
[[nodiscard]] std::string one_line(std::string_view text);

} // namespace fluxhook::kube
