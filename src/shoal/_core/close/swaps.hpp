// Swaps in a group, which keeps its size: what replacing a member by a candidate does to the work of one attribute.
//
// A group is a list of slots. reset() reads it; consider() looks at a candidate; then change() says by how much the
// work would change if the candidate took a slot, and best() finds the slot where it falls most. improving() tells
// which candidates lower the work at all, so that the others need not be looked at one by one.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "close/emd.hpp"
#include "search/records.hpp"

namespace shoal {

struct Swap {
  Wide change;
  std::int32_t slot;
};

// Lifetime: keeps a reference to the attribute, which must outlive it; members are copied by reset().
class Swaps {
 public:
  virtual ~Swaps() = default;
  virtual void reset(std::span<const Row> members) = 0;
  virtual Wide work() const = 0;
  virtual void consider(std::int32_t code) = 0;
  virtual Wide change(std::int32_t slot) const = 0;
  // Smallest change, then lowest row; any slot where nothing falls.
  virtual Swap best() const = 0;
  // The number of a code in an order in which codes that improve a group stand together.
  virtual std::int32_t place(std::int32_t code) const { return code; }
  // Whether codes that improve a group have the first places, but for a few.
  virtual bool improves_first_places() const { return false; }
  // Where the places end whose codes are as common as that of a place: they improve a group together, but for those in it.
  virtual std::int32_t last_alike(std::int32_t place) const { return place + 1; }
  // Calls visit(begin, end) for ranges of places: those of all codes whose best change is negative, and no other.
  virtual void improving(const std::function<void(std::int32_t, std::int32_t)>& visit) = 0;
};

}  // namespace shoal
