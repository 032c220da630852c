#pragma once

#include <atomic>
#include <cstddef>
#include <utility>

namespace fluxhook::server {

/// A number of bytes that many may take shares of; thread-safe.
class Budget {
public:
  explicit Budget(std::size_t bytes) : left_(bytes) {}

  /// What was taken, until it is destroyed.
  class Share {
  public:
    Share() = default;
    Share(Share&& other) noexcept : budget_(std::exchange(other.budget_, nullptr)), bytes_(other.bytes_) {}
    Share& operator=(Share&& other) noexcept {
      std::swap(budget_, other.budget_);
      std::swap(bytes_, other.bytes_);
      return *this;
    }
    ~Share() {
      if (budget_ != nullptr) budget_->left_ += bytes_;
    }
    explicit operator bool() const { return budget_ != nullptr; }

  private:
    friend class Budget;
    Share(Budget* budget, std::size_t bytes) : budget_(budget), bytes_(bytes) {}

    Budget* budget_ = nullptr;
    std::size_t bytes_ = 0;
  };

  /// A share of that size, or an empty one when so much is not left.
  [[nodiscard]] Share take(std::size_t bytes) {
    std::size_t left = left_.load();
    while (left >= bytes)
      if (left_.compare_exchange_weak(left, left - bytes)) return {this, bytes};
    return {};
  }

private:
  std::atomic<std::size_t> left_;
};

} // namespace fluxhook::server
