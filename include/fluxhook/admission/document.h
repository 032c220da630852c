#pragma once

#include <memory>
#include <string>

#include "fluxhook/base/result.h"
#include "fluxhook/k8s/jobset.h"

namespace fluxhook::admission {

/// A JobSet decoded from JSON, with the memory that its slice borrows from. Movable.
class JobSetDocument {
public:
  /// Decodes one object. Error: as `review` for JSON; or apiVersion and kind are not JobSet's.
  [[nodiscard]] static Result<JobSetDocument> parse(std::string json);

  /// Valid as long as this, and not moved from, since it borrows.
  [[nodiscard]] const k8s::JobSet& jobset() const;

  JobSetDocument(JobSetDocument&&) noexcept;
  JobSetDocument& operator=(JobSetDocument&&) noexcept;
  ~JobSetDocument();

private:
  struct Impl;
  explicit JobSetDocument(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

} // namespace fluxhook::admission
