// Annealing: moves that may cost something, less and less of it.
//
// A record is picked, and one of its neighbours in another group; a coin says which of the two joins the other's group.
// The change may be for the worse by up to the temperature times an exponential number (Metropolis). Temperatures are
// told in what a record costs where it is: half the mean squared distance to its nearest ones, drawn towards the
// average of the table, since a few records far out would otherwise be the only ones that move.
//
// Many proposals dissolve a group or found one: MDAV leaves nearly all groups at k records, where no record can leave
// its group, and what is gained beyond exchanges comes from the number of groups.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "refine/moves.hpp"
#include "refine/random.hpp"

namespace shoal::refine {

// What a temperature of 1 is for each record, or for all alike.
struct Warmth {
  const float* own = nullptr;
  float common = 0.0F;

  float of(Slot slot) const { return own != nullptr ? own[slot] : common; }
};

// Between the average of the table (own = 0) and what a record's spacing says (own = 1).
inline std::vector<float> own_warmth(std::vector<float> spacing, double own) {
  double sum = 0.0;
  for (const float each : spacing) sum += 0.5 * each;
  const double average = sum / static_cast<double>(spacing.size());
  for (float& each : spacing) {
    each = static_cast<float>(std::pow(0.5 * each, own) * std::pow(average, 1.0 - own));
  }
  return spacing;
}

// The temperature after a share of the way from hot to cold.
inline float cooled(double hot, double cold, double share) {
  return static_cast<float>(hot * std::pow(cold / hot, share));
}

// Proposes as many moves as there are records; slot_at(random, i) says where.
template <int D, class SlotAt>
void sweep(Moves<D>& moves, std::int64_t records, float temperature, Warmth warmth, Random& random,
           const Exponential& exponential, const SlotAt& slot_at) {
  // Of 1024 proposals so many dissolve or found a group, which takes the longer the larger groups are.
  const auto structural = static_cast<std::uint64_t>(std::clamp(1200 / moves.usual_size(), 50, 400));
  const GroupTable& groups = moves.groups();
  const NeighbourLists& near = moves.near();
  const float founders = 0.8F * static_cast<float>(moves.usual_size());
  for (std::int64_t i = 0; i < records; ++i) {
    const std::uint64_t bits = random.next();
    Slot slot = slot_at(bits, i);
    if ((bits & 1023) < structural) {
      const float limit = temperature * founders * warmth.of(slot);
      if ((bits >> 10) & 1) {
        moves.dissolve(groups.of(slot), limit, false);
      } else {
        moves.found(slot, limit, false);
      }
      continue;
    }
    // From a place in its list on, the next one that is in another group.
    const Slot* const nearest = near.of(slot);
    const Group own = groups.of(slot);
    auto place = static_cast<int>(below(bits >> 11, static_cast<std::uint64_t>(near.length)));
    int left = near.length;
    while (left > 0 && groups.of(nearest[place]) == own) {
      place = place + 1 < near.length ? place + 1 : 0;
      --left;
    }
    Slot other = nearest[place];
    if (left == 0 || !moves.is_open(groups.of(other))) continue;
    if ((bits >> 27) & 1) std::swap(slot, other);
    const float limit = temperature * warmth.of(slot) * exponential.of(bits >> 28);
    const Step step = moves.into(slot, groups.of(other), limit);
    if (step.slot != kNobody) moves.take(step);
  }
}

}  // namespace shoal::refine
