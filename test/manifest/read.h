#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "fluxhook/manifest/reader.h"
#include "fluxhook/manifest/writer.h"

namespace fluxhook::manifest {

/// The documents of `text`, read as a stream; an error is given as its text.
inline std::vector<Result<Document>> read_all(const std::string& text) {
  std::istringstream in(text);
  Reader reader = *Reader::open("-", in);
  std::vector<Result<Document>> all;
  while (auto document = reader.next())
    all.push_back(std::move(*document));
  return all;
}

/// The one document of `text` as compact JSON, or its error.
inline std::string read(const std::string& text) {
  const auto all = read_all(text);
  if (all.size() != 1) return std::to_string(all.size()) + " documents";
  return all[0] ? to_json(all[0]->root) : all[0].error().text();
}

} // namespace fluxhook::manifest
