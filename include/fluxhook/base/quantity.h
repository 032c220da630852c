#pragma once

#include <cstdint>
#include <string_view>

#include "fluxhook/base/result.h"

namespace fluxhook {

/// A Kubernetes resource quantity, by value. Kept in units of 1/1000, rounded up as the API server does;
/// values beyond int64 saturate.
struct Quantity {
  std::int64_t milli = 0;

  /// Whole units, rounded down: "1500m" gives 1.
  [[nodiscard]] std::int64_t whole() const { return milli / 1000; }
};

/// Reads `<sign?><digits[.digits]><suffix>` with the suffixes n u m (none) k M G T P E, Ki Mi Gi Ti Pi Ei and
/// decimal exponents e3 E3 (k8s.io/apimachinery, pkg/api/resource/quantity.go). Error: anything else.
[[nodiscard]] Result<Quantity> parse_quantity(std::string_view text);

} // namespace fluxhook
