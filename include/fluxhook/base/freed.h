#pragma once

namespace fluxhook {

/// A unique_ptr's deleter for what a C library frees by a function: std::unique_ptr<BIO, Freed<BIO_free>>.
template <auto Free>
struct Freed {
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};

} // namespace fluxhook
