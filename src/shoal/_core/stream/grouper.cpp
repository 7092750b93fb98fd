#include "stream/grouper.hpp"

#include <algorithm>

namespace shoal::stream {

// Swaps look for better members among this many times the tuples that are needed.
constexpr std::size_t kPool = 4;

const std::vector<Position>& Grouper::form(Position seed, const Scales& scales) {
  group_.clear();
  if (buffer_.distinct_subjects() < settings_.k) return group_;
  gather(seed, scales);
  if (settings_.sweeps > 0) improve(scales);
  for (std::size_t i = 0; i < pool_.size(); ++i)
    if (member_[i]) group_.push_back(pool_[i]);
  return group_;
}

void Grouper::average_of(Position seed) {
  rows_.assign(1, buffer_.row(seed));
  average_.assign(rows_);
}

// The nearest to the seed, one after the other, until the group has k subjects. A tuple of a subject who is already in
// comes along: left behind it would need k-1 other subjects once more.
void Grouper::gather(Position seed, const Scales& scales) {
  average_of(seed);
  const auto others = [seed](Position position) { return position != seed; };
  std::size_t taken = static_cast<std::size_t>(settings_.k) - 1;
  for (std::size_t wanted = kPool * taken;; wanted *= 2) {
    nearest_.reset(settings_.sweeps > 0 || settings_.subjects ? wanted : taken);
    buffer_.index().search(average_, scales, others, nearest_);
    if (!settings_.subjects) break;
    subjects_.clear();
    subjects_[buffer_.subject(seed)] = 1;
    taken = 0;
    for (const auto& found : nearest_.found()) {
      if (static_cast<std::int64_t>(subjects_.size()) == settings_.k) break;
      ++subjects_[buffer_.subject(found.position)];
      ++taken;
    }
    if (static_cast<std::int64_t>(subjects_.size()) == settings_.k) break;
  }
  candidates_.clear();
  for (std::size_t i = 0; i < taken; ++i) candidates_.push_back(nearest_.found()[i].position);
  std::sort(candidates_.begin(), candidates_.end());
  pool_.assign(1, seed);
  for (const auto& found : nearest_.found()) pool_.push_back(found.position);
  std::sort(pool_.begin(), pool_.end());
  member_.assign(pool_.size(), 0);
  member_[0] = 1;
  for (std::size_t i = 1, c = 0; i < pool_.size() && c < candidates_.size(); ++i)
    if (pool_[i] == candidates_[c]) member_[i] = 1, ++c;
}

void Grouper::improve(const Scales& scales) {
  const int width = settings_.axes().size();
  const std::int64_t stride = padded(pool_size());
  columns_.assign(width * stride, 0.0);
  remoteness_.resize(stride);
  distances_.resize(stride);
  for (std::size_t i = 0; i < pool_.size(); ++i)
    for (int a = 0; a < width; ++a) columns_[a * stride + i] = buffer_.row(pool_[i])[a];
  buffer_.remoteness(columns_.data(), stride, pool_size(), scales, remoteness_.data());
  for (std::int64_t round = 0; round < settings_.sweeps && sweep(scales); ++round) {
  }
}

// Replacing x by c changes the group's SSE by a multiple of how much nearer c is to the average of the others
// (Huygens). So each member but the seed, newest first, makes way for the tuple of the pool that is nearest to the
// others, if that one is nearer than it is. True if any did.
bool Grouper::sweep(const Scales& scales) {
  bool changed = false;
  const std::int64_t stride = padded(pool_size());
  const auto before = member_;
  for (std::size_t leaving = pool_.size() - 1; leaving > 0; --leaving) {
    if (!before[leaving]) continue;
    rows_.clear();
    for (std::size_t i = 0; i < pool_.size(); ++i)
      if (member_[i] && i != leaving) rows_.push_back(buffer_.row(pool_[i]));
    average_.assign(rows_);
    average_.distances(columns_.data(), stride, stride, scales, distances_.data());
    std::size_t entering = leaving;
    for (std::size_t i = 1; i < pool_.size(); ++i)
      if (distances_[i] < distances_[entering] && may_replace(leaving, i)) entering = i;
    if (entering == leaving) continue;
    if (settings_.subjects) {
      const std::int64_t subject = buffer_.subject(pool_[leaving]);
      if (--subjects_[subject] == 0) subjects_.erase(subject);
      ++subjects_[buffer_.subject(pool_[entering])];
    }
    member_[leaving] = 0;
    member_[entering] = 1;
    changed = true;
  }
  return changed;
}

// A swap never leaves behind a tuple that is farther from the average of the buffer than the one it takes. Without this
// rule groups drift into the dense middle and strand the remote tuples, which are the costly ones: each group gets
// better and the stream worse.
bool Grouper::may_replace(std::size_t leaving, std::size_t entering) const {
  if (member_[entering] || remoteness_[entering] < remoteness_[leaving]) return false;
  if (!settings_.subjects) return true;
  // k subjects must stay. A subject is lost when the leaving tuple is its only one; then the entering one must bring a
  // subject, unless more than k are in: an earlier swap may have put a new subject in the place of a second tuple.
  const std::int64_t subject = buffer_.subject(pool_[leaving]), other = buffer_.subject(pool_[entering]);
  if (subjects_.at(subject) > 1 || static_cast<std::int64_t>(subjects_.size()) > settings_.k) return true;
  return other == subject || subjects_.find(other) == subjects_.end();
}

bool Grouper::is_close(const std::vector<Position>& group) {
  if (!closeness_.wanted()) return true;
  std::vector<double> values;
  for (const Position position : group)
    values.insert(values.end(), buffer_.confidential(position), buffer_.confidential(position) + closeness_.width());
  closeness_.weigh(values);
  return closeness_.met();
}

// Takes in, time and again, the tuple nearest to the seed among those that bring the group closer to the stream.
bool Grouper::make_close(Position seed, const Scales& scales) {
  if (is_close(group_)) return true;
  if (!closeness_.in_reach(buffer_, buffer_.positions(seed, seed + settings_.window()))) return false;
  double excess = closeness_.excess();
  average_of(seed);
  std::size_t wanted = kPool * group_.size();
  candidates_.clear();  // outside the group, nearest first; a longer list begins with the shorter one
  const auto outside = [&](Position position) { return !std::binary_search(group_.begin(), group_.end(), position); };
  while (!closeness_.met()) {
    bool helped = false;
    closeness_.look_ahead();
    for (std::size_t i = 0; !helped; ++i) {
      if (i == candidates_.size()) {
        if (static_cast<std::int64_t>(group_.size() + candidates_.size()) >= buffer_.size()) break;
        wanted *= 2;
        nearest_.reset(wanted);
        buffer_.index().search(average_, scales, outside, nearest_);
        candidates_.clear();
        for (const auto& found : nearest_.found()) candidates_.push_back(found.position);
      }
      const double* confidential = buffer_.confidential(candidates_[i]);
      if (closeness_.excess_with(confidential) > excess + Closeness::kDoubt) continue;
      closeness_.add(confidential);
      const double now = closeness_.excess();
      if (now < excess) {
        excess = now;
        helped = true;
        group_.insert(std::lower_bound(group_.begin(), group_.end(), candidates_[i]), candidates_[i]);
        candidates_.erase(candidates_.begin() + i);
      } else {
        closeness_.take(confidential);
      }
    }
    if (!helped) return false;
  }
  return true;
}

}  // namespace shoal::stream
