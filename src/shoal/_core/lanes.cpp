// The baseline loops, and the choice among all of them.
#include <atomic>
#include <string>
#include <vector>

#include "instruction_sets.hpp"
#include "lanes.hpp"

namespace shoal {

namespace baseline {
#include "lanes_isa.inl"
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
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) found.push_back({"avx2", avx2::kernels});
    if (__builtin_cpu_supports("fma") && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl")) {
      found.push_back({"avx512", avx512::kernels});
    }
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
