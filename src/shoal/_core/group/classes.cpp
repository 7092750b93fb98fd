// Equivalence classes by hash grouping: one column at a time splits the classes that the columns before it made.
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "bindings.hpp"

namespace shoal {
namespace {

// What makes two cells equal: the same integer, or the same number with one zero and one missing value.
std::uint64_t cell_key(std::int64_t value) { return static_cast<std::uint64_t>(value); }

std::uint64_t cell_key(double value) {
  if (value == 0.0) return 0;
  if (std::isnan(value)) value = std::numeric_limits<double>::quiet_NaN();
  return std::bit_cast<std::uint64_t>(value);
}

// Splitmix64's finaliser: every bit of the input reaches every bit of the slot number.
std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9ULL;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

// Pairs (class so far, cell) numbered by first appearance. Open addressing, at most half full: the slots hold numbers
// and the pairs stand in a vector, so that memory follows the number of classes and not the number of records.
class Numbering {
 public:
  std::int64_t number_of(std::int64_t label, std::uint64_t cell) {
    std::size_t slot = slot_of(label, cell);
    for (; slots_[slot] != empty; slot = (slot + 1) & mask_) {
      const auto& [known_label, known_cell] = pairs_[static_cast<std::size_t>(slots_[slot])];
      if (known_label == label && known_cell == cell) return slots_[slot];
    }
    const auto fresh = static_cast<std::int64_t>(pairs_.size());
    slots_[slot] = fresh;
    pairs_.emplace_back(label, cell);
    if (pairs_.size() * 2 > slots_.size()) grow();
    return fresh;
  }

 private:
  static constexpr std::int64_t empty = -1;

  std::size_t slot_of(std::int64_t label, std::uint64_t cell) const {
    return static_cast<std::size_t>(mix(cell + mix(static_cast<std::uint64_t>(label) + 1))) & mask_;
  }

  void grow() {
    slots_.assign(slots_.size() * 2, empty);
    mask_ = slots_.size() - 1;
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      std::size_t slot = slot_of(pairs_[i].first, pairs_[i].second);
      while (slots_[slot] != empty) slot = (slot + 1) & mask_;
      slots_[slot] = static_cast<std::int64_t>(i);
    }
  }

  std::vector<std::int64_t> slots_ = std::vector<std::int64_t>(1024, empty);
  std::size_t mask_ = 1023;
  std::vector<std::pair<std::int64_t, std::uint64_t>> pairs_;
};

template <class T>
OutVector<std::int64_t> split_classes(Vector<std::int64_t> labels, Vector<T> column) {
  std::vector<std::int64_t> finer(labels.shape(0));
  {
    nb::gil_scoped_release release;
    const auto before = as_span(labels);
    const auto cells = as_span(column);
    Numbering numbering;
    for (std::size_t i = 0; i < finer.size(); ++i) finer[i] = numbering.number_of(before[i], cell_key(cells[i]));
  }
  return to_numpy(std::move(finer));
}

}  // namespace

void bind_classes(nb::module_& module) {
  module.def("split_classes", &split_classes<std::int64_t>, nb::arg("labels"), nb::arg("column").noconvert());
  module.def("split_classes", &split_classes<double>, nb::arg("labels"), nb::arg("column").noconvert());
}

}  // namespace shoal
