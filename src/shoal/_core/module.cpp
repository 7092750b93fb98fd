// The kernels' front door: arrays and scalars in, arrays out. No frames, no validation: the Python side did that.
#include <nanobind/nanobind.h>

#include "bindings.hpp"

NB_MODULE(_core, module) {
  module.doc() = "Compiled kernels of shoal. Use the functions of shoal.partitioners and its neighbours instead.";
  shoal::bind_classes(module);
  shoal::bind_csv(module);
  shoal::bind_linkage(module);
  shoal::bind_records(module);
  shoal::bind_refine(module);
  shoal::bind_refine_pieces(module);
  shoal::bind_move_costs(module);
  shoal::bind_exact_sum(module);
  shoal::bind_int128(module);
  shoal::bind_instruction_sets(module);
  shoal::bind_kd_tree(module);
  shoal::bind_matching(module);
  shoal::bind_mdav(module);
  shoal::bind_vmdav(module);
  shoal::bind_emd(module);
  shoal::bind_constraint(module);
  shoal::bind_merge(module);
  shoal::bind_neighbourhood(module);
  shoal::bind_k_first(module);
  shoal::bind_t_first(module);
  shoal::bind_bound_search(module);
  shoal::bind_pricing(module);
  shoal::bind_bound_ascent(module);
  shoal::bind_mic1d(module);
  shoal::bind_mondrian(module);
  shoal::bind_projected(module);
  shoal::bind_tied_modes(module);
  shoal::bind_univariate(module);
  shoal::bind_stream(module);
  shoal::bind_text_codes(module);
}
