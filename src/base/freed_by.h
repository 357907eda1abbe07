#pragma once

namespace landfall {

// The deleter of what a C library made: `std::unique_ptr<BIO, FreedBy<BIO_free>>`.
template <auto Free>
struct FreedBy {
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};

}  // namespace landfall
