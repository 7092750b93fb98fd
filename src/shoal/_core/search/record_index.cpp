// The choice of an index, and the index that changes its mind.
//
// A tree is the better the fewer dimensions and the more records there are, but clusters can make it good anywhere, and
// as records leave a scan gets cheaper while a tree does not. So the automatic index starts with what promises
// most, counts what the tree visits, and turns to a scan for the rest once a scan costs less. It
// counts visits, not time: the same input takes the same way everywhere.
#include "search/record_index.hpp"

#include <cmath>
#include <utility>

#include "search/code_lists.hpp"
#include "search/plane_scan.hpp"
#include "search/scan_index.hpp"
#include "search/sketch_scan.hpp"
#include "search/tree_index.hpp"
#include "tuning.hpp"

namespace shoal {
namespace {

std::unique_ptr<RecordIndex> make_scan(const Records& records, Duplicates& duplicates, std::vector<Row> fronts,
                                       std::int64_t size) {
  if (PlaneScan::suits(records)) return std::make_unique<PlaneScan>(records, duplicates, std::move(fronts), size);
  if (records.number_count() > tuning::kPlainNumbers) {
    return std::make_unique<SketchScan>(records, duplicates, std::move(fronts), size);
  }
  return std::make_unique<ScanIndex>(records, duplicates, fronts, size);
}

// What things cost, in nanoseconds on a processor of 2022: the times of scans and trees over tables of many sizes,
// divided by what they had looked at. Only the ratios matter, and they are good as long as the automatic choice keeps
// up with the better of the two: python benchmarks/run.py mdav_choice prints by how much it is slower, for 1 to 60
// numbers and four shapes of tables, and marks what passes a quarter. The same holds for the sizes in start_with_tree
// and the shares in reconsider.
struct Costs {
  explicit Costs(const Records& records) : sketched(records.number_count() > tuning::kPlainNumbers) {
    const double attributes = records.number_count() + records.code_count;
    if (PlaneScan::suits(records)) {
      visit = 100.0 + 10.0 * attributes;  // the boxes of codes alone are in doubles
      const double sums = PlaneScan::counts_evenly(records) ? 2.6 : 10.0;
      block = (8.0 + 0.8 * PlaneScan::bits(records) + sums * attributes) * kBlock / PlaneScan::kPlaneBlock;
      setup = 20.0 + 3.0 * PlaneScan::bits(records);
      pass = 1000.0;
    } else {
      visit = 35.0 + 2.5 * attributes;
      block = sketched ? 10.0 + 2.5 * attributes : 5.0 + 3.0 * attributes;
      setup = sketched ? 60.0 + 10.0 * attributes : 10.0 + 5.0 * attributes;
      pass = 3000.0;
    }
  }

  static constexpr double kQuestion = 1000.0;  // to a tree, besides the visits

  bool sketched;
  double visit;  // at a node or a leaf of a tree
  double block;  // in a scan
  double setup;  // of a scan, per record
  double pass;   // of a scan, besides the blocks
};

// The share of a small tree that nearest records make one look at: low where records lie in clusters.
double looked_at(const Records& records, std::span<const Row> among) {
  const std::size_t sample = among.size() < 4000 ? 256 : 512;  // so that looking never costs much of what it decides
  const std::size_t questions = sample / 32;
  std::vector<Row> rows;
  for (std::size_t i = 0; i < sample; ++i) rows.push_back(among[i * among.size() / sample]);
  const KdTree tree(records, rows);
  Place place(records);
  std::int64_t visits = 0;
  for (std::size_t i = 0; i < questions; ++i) {
    const Row row = rows[i * sample / questions];
    place.set(records, row);
    Nearest nearest(2, row);
    visits += tree.nearest(place, nearest, row);
  }
  return static_cast<double>(visits) / static_cast<double>(questions * (sample / kBlock + 1));
}

bool start_with_tree(const Records& records, std::span<const Row> fronts) {
  const double attributes = records.number_count() + records.code_count;
  const auto size = static_cast<double>(fronts.size());
  if (PlaneScan::suits(records)) return size >= static_cast<double>(tuning::kFewPlanes);
  if (attributes <= tuning::kPlainNumbers) return size >= 250.0 * std::exp2(attributes / 2);
  if (size >= 2500.0 * std::exp2(attributes - tuning::kPlainNumbers)) return true;
  return size >= 1000.0 && looked_at(records, fronts) < 0.6;
}

class AutoIndex final : public RecordIndex {
 public:
  AutoIndex(const Records& records, Duplicates& duplicates)
      : records_(records), duplicates_(duplicates), costs_(records) {
    if (start_with_tree(records, duplicates.fronts())) {
      auto tree = std::make_unique<TreeIndex>(records, duplicates);
      tree_ = tree.get();
      index_ = std::move(tree);
    } else {
      index_ = make_scan(records, duplicates, duplicates.fronts(), duplicates.size());
    }
  }

  std::int64_t size() const override { return index_->size(); }

  Row farthest_from(const Place& place) override {
    const Row row = index_->farthest_from(place);
    count(costs_.sketched ? Costs::kQuestion : pass());
    return row;
  }

  void gather(Row row, std::size_t k, std::vector<Row>& group, bool farthest_too) override {
    reconsider();
    index_->gather(row, k, group, farthest_too);
    count(pass());
  }

  Row farthest_from_last() override {
    const Row row = index_->farthest_from_last();
    count(0.0);  // a scan has it from the pass before
    return row;
  }

  Neighbour nearest(Row row) override {
    const Neighbour neighbour = index_->nearest(row);
    count(pass());
    return neighbour;
  }

  void locate(Row row, Place& place) const override { index_->locate(row, place); }
  void remove(std::span<const Row> rows) override { index_->remove(rows); }
  std::vector<Row> fronts() const override { return index_->fronts(); }

 private:
  double pass() const {
    const double blocks = tree_ == nullptr ? 0.0 : static_cast<double>(tree_->fronts_left()) / kBlock;
    return costs_.pass + costs_.block * blocks;
  }

  // Notes what a question has cost the tree, and what it would have cost a scan.
  void count(double scan) {
    if (tree_ == nullptr) return;
    ++questions_;
    scan_cost_ += scan;
    tree_cost_ += Costs::kQuestion + costs_.visit * static_cast<double>(tree_->visits() - visits_);
    visits_ = tree_->visits();
  }

  // As records leave, a scan gets cheaper and a tree hardly does. So there is no hurry: as long as the tree costs less
  // than a scan does now, it is kept, though a scan may cost less on average from now on. There is no way back, and a
  // scan has to be set up: what is left must pay for that, if records go on leaving at this rate. Records of codes and
  // one number tie all the time: a question visits many leaves then, but in a row, which costs far less than
  // `visit` says, while a scan has all the ties to sort out. It hardly ever pays.
  void reconsider() {
    if (tree_ == nullptr || ties_ || questions_ < tuning::kTrial) return;
    const auto left = static_cast<double>(size()), gone = static_cast<double>(size_before_) - left;
    if (gone > 0 && scan_cost_ < tree_cost_) {
      const double saved = (0.8 * tree_cost_ - 0.5 * scan_cost_) * left / gone;
      if (saved > costs_.setup * static_cast<double>(tree_->fronts_left())) {
        index_ = make_scan(records_, duplicates_, index_->fronts(), size());
        tree_ = nullptr;
      }
    }
    size_before_ = size();
    questions_ = 0;
    scan_cost_ = tree_cost_ = 0.0;
  }

  const Records& records_;
  Duplicates& duplicates_;
  Costs costs_;
  std::unique_ptr<RecordIndex> index_;
  TreeIndex* tree_ = nullptr;  // index_, as long as it is a tree
  bool ties_ = records_.number_count() <= 1 && records_.code_count > 0 && !PlaneScan::suits(records_);
  int questions_ = 0;
  double scan_cost_ = 0.0, tree_cost_ = 0.0;
  std::int64_t visits_ = 0;
  std::int64_t size_before_ = duplicates_.size();
};

}  // namespace

std::unique_ptr<RecordIndex> make_index(const std::string& engine, const Records& records,
                                        Duplicates& duplicates) {
  if (engine == "tree") return std::make_unique<TreeIndex>(records, duplicates);
  if (engine == "scan") return make_scan(records, duplicates, duplicates.fronts(), duplicates.size());
  if (engine == "lists" || CodeListIndex::suits(records, duplicates.fronts())) {
    return std::make_unique<CodeListIndex>(records, duplicates);
  }
  return std::make_unique<AutoIndex>(records, duplicates);
}

}  // namespace shoal
