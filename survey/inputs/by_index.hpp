#pragma once

#include <cstddef>

namespace srcextract {

/// Input iterator over a list whose operator[] returns copies of elements.
template <class List>
class ByIndex {
 public:
  using difference_type = std::ptrdiff_t;
  using value_type = typename List::value_type;

  ByIndex() = default;
  ByIndex(const List& list, std::size_t index) : list_(&list), index_(index) {}

  value_type operator*() const { return (*list_)[index_]; }
  ByIndex& operator++() {
    ++index_;
    return *this;
  }
  ByIndex operator++(int) {
    ByIndex before = *this;
    ++index_;
    return before;
  }
  bool operator==(const ByIndex&) const = default;

 private:
  const List* list_ = nullptr;
  std::size_t index_ = 0;
};

}  // namespace srcextract
