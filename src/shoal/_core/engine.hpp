// The choice between a tree and a scan.
#pragma once

#include <string>

#include "records.hpp"
#include "scan_index.hpp"
#include "sketch_scan.hpp"
#include "tree_index.hpp"

namespace shoal {

// A tree prunes well in few dimensions and among many records.
inline bool tree_pays(const Records& records) {
  return records.number_count() + records.code_count <= 8 && records.size >= 5000;
}

// Up to here a plain scan of doubles is as good as one that looks at images first.
inline constexpr int kPlainNumbers = 8;

// Calls run(index) with the index that `engine` names: "tree", "scan", or "auto" for the one that promises to be faster.
template <class Run>
auto with_index(const std::string& engine, const Records& records, Run run) {
  if (engine == "tree" || (engine == "auto" && tree_pays(records))) {
    TreeIndex index(records);
    return run(index);
  }
  if (records.number_count() > kPlainNumbers) {
    SketchScan index(records);
    return run(index);
  }
  ScanIndex index(records);
  return run(index);
}

}  // namespace shoal
