#pragma once

#include <functional>
#include <memory>

#include "fluxhook/base/note.h"
#include "fluxhook/server/log.h"

namespace fluxhook::cli {

/// Writes notes to a log, from any thread.
[[nodiscard]] std::function<void(const Note&)> note_writer(std::shared_ptr<const server::Log> log);

} // namespace fluxhook::cli
