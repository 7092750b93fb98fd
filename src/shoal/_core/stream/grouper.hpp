// Which tuples leave together: the group of the tuple that must go (Domingo-Ferrer and Soria-Comas 2017, §V,
// Algorithms 2 and 3).
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "stream/buffer.hpp"
#include "stream/closeness.hpp"
#include "stream/settings.hpp"

namespace shoal::stream {

class Grouper {
 public:
  Grouper(const Settings& settings, const Buffer& buffer, Closeness& closeness)
      : settings_(settings), buffer_(buffer), closeness_(closeness), average_(settings.axes()) {}

  // The group of `seed`, in the order of positions; empty when the buffer has not enough subjects.
  // The seed is the oldest tuple in the buffer.
  const std::vector<Position>& form(Position seed, const Scales& scales);

  // Makes the group formed last t-close by taking in tuples; false when no tuple of the buffer helps any more.
  bool make_close(Position seed, const Scales& scales);

  // Whether these tuples together are t-close.
  bool is_close(const std::vector<Position>& group);

  const std::vector<Position>& group() const { return group_; }

 private:
  void gather(Position seed, const Scales& scales);
  void improve(const Scales& scales);
  bool sweep(const Scales& scales);
  bool may_replace(std::size_t leaving, std::size_t entering) const;
  void average_of(Position seed);

  std::int64_t pool_size() const { return static_cast<std::int64_t>(pool_.size()); }

  const Settings& settings_;
  const Buffer& buffer_;
  Closeness& closeness_;
  Average average_;
  Nearest nearest_;
  std::vector<Position> group_;  // in the order of positions
  std::vector<const double*> rows_;
  std::vector<Position> candidates_;

  // The seed and the tuples nearest to it, in the order of positions: members, and who may take their place.
  std::vector<Position> pool_;
  std::vector<char> member_;
  std::vector<double> columns_;  // their rows, column by column
  std::vector<double> remoteness_;
  std::vector<double> distances_;
  std::unordered_map<std::int64_t, std::int64_t> subjects_;  // tuples of each subject in the group
};

}  // namespace shoal::stream
