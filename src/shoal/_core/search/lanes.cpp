// The baseline loops, and the choice among all of them.
#include <atomic>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "platform.hpp"
#include "search/instruction_sets.hpp"
#include "search/lanes.hpp"

// Where processors have loops of their own as a rule, fewer of these are compiled.
#ifdef SHOAL_X86
#define SHOAL_UNROLLED 8
#else
#define SHOAL_UNROLLED 16
#endif

namespace shoal {

namespace baseline {
#include "search/lanes_isa.inl"
}

#ifdef SHOAL_X86
namespace avx2 {
LaneKernels kernels(int number_count);
}
namespace avx512 {
LaneKernels kernels(int number_count);
}
#endif

namespace {

struct InstructionSet {
  std::string name;
  LaneKernels (*kernels)(int number_count);
};

// What this processor can run, slowest first.
const std::vector<InstructionSet>& available() {
  static const std::vector<InstructionSet> sets = [] {
    std::vector<InstructionSet> found{{"baseline", baseline::kernels}};
#ifdef SHOAL_X86
    if (processor_has_avx2()) found.push_back({"avx2", avx2::kernels});
    if (processor_has_avx512()) found.push_back({"avx512", avx512::kernels});
#endif
    return found;
  }();
  return sets;
}

std::atomic<const InstructionSet*> chosen{nullptr};  // null: the best

}  // namespace

LaneKernels lane_kernels(int number_count) {
  const InstructionSet* set = chosen;
  return (set != nullptr ? *set : available().back()).kernels(number_count);
}

std::vector<std::string> instruction_sets() {
  std::vector<std::string> names;
  for (const InstructionSet& set : available()) names.push_back(set.name);
  return names;
}

bool use_instruction_set(const std::string& name) {
  for (const InstructionSet& set : available()) {
    if (set.name == name) {
      chosen = &set;
      return true;
    }
  }
  return false;
}

}  // namespace shoal
