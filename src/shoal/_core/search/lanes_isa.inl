// The loops of lanes.hpp. Included by one .cpp per instruction set, inside that set's own namespace.
// Nothing here may call an inline function of another header: the linker would keep one copy of it for the whole
// library, perhaps the one compiled for a processor newer than the user's. Functions of C, macros and constants may be
// used.
//
// Up to SHOAL_UNROLLED attributes have loops of their own, which the including file says: eight at least.

constexpr int kUnrolled = SHOAL_UNROLLED;
constexpr float kInfinite = std::numeric_limits<float>::infinity();
constexpr float kNothing = std::numeric_limits<float>::quiet_NaN();

template <class T>
inline T least(T a, T b) {
  return a < b ? a : b;
}

template <class T>
inline T greatest(T a, T b) {
  return a > b ? a : b;
}

// sum + x * x. Among records rounded twice, everywhere alike; among images it does not matter how, so it is quick.
inline double add_square(double sum, double x) { return sum + x * x; }
#if defined(__FMA__)
inline float add_square(float sum, float x) { return SHOAL_FMAF(x, x, sum); }
#else
inline float add_square(float sum, float x) { return sum + x * x; }
#endif

#include "search/lanes_compare.inl"

// Calls add<D, first>(offset) so that attributes 0..count-1 are added in order, many at a time. With D known, the loop
// over attributes unrolls and the loop over lanes vectorises. D < 0: more than kUnrolled attributes.
template <int D, class Add>
inline void add_in_order(int count, Add add) {
  if constexpr (D >= 0) {
    add.template operator()<D, true>(0);
  } else {
    add.template operator()<8, true>(0);
    int done = 8;
    for (; done + 8 <= count; done += 8) add.template operator()<8, false>(done);
    switch (count - done) {
      case 1: add.template operator()<1, false>(done); break;
      case 2: add.template operator()<2, false>(done); break;
      case 3: add.template operator()<3, false>(done); break;
      case 4: add.template operator()<4, false>(done); break;
      case 5: add.template operator()<5, false>(done); break;
      case 6: add.template operator()<6, false>(done); break;
      case 7: add.template operator()<7, false>(done); break;
      default: break;
    }
  }
}

template <int D, bool kFirst, class T>
inline void add_squares(const T* SHOAL_RESTRICT block, const T* SHOAL_RESTRICT query, T* SHOAL_RESTRICT out) {
  for (int i = 0; i < kBlock; ++i) {
    T sum = kFirst ? T{0} : out[i];
    for (int j = 0; j < D; ++j) {
      sum = add_square(sum, query[j] - block[j * kBlock + i]);
    }
    out[i] = sum;
  }
}

template <class T>
inline void add_codes(const std::int32_t* codes, const QueryOf<T>& query, T* out) {
  for (int j = 0; j < query.code_count; ++j) {
    const std::int32_t code = query.codes[j];
    const T weight = query.code_weights[j];
    for (int i = 0; i < kBlock; ++i) out[i] += codes[j * kBlock + i] == code ? T{0} : weight;
  }
}

template <int D, class T>
inline void distances_of(const T* numbers, const std::int32_t* codes, const QueryOf<T>& query, T* out) {
  add_in_order<D>(query.number_count, [&]<int E, bool kFirst>(int from) {
    add_squares<E, kFirst>(numbers + from * kBlock, query.numbers + from, out);
  });
  add_codes(codes, query, out);
}

template <int D>
void distances(const double* numbers, const std::int32_t* codes, const Query& query, double* out) {
  distances_of<D>(numbers, codes, query, out);
}

template <int D>
Lanes near(const double* numbers, const std::int32_t* codes, const Query& query, double bound, double* out) {
  distances_of<D>(numbers, codes, query, out);
  return at_most(out, bound);
}

template <int D>
Lanes far(const double* numbers, const std::int32_t* codes, const Query& query, double bound, double* out) {
  distances_of<D>(numbers, codes, query, out);
  return at_least(out, bound);
}

template <int D, class T>
inline std::int64_t seek_in(const T* numbers, const std::int32_t* codes, std::int64_t first, std::int64_t last,
                            const QueryOf<T>& query, T near_bound, T far_bound, T* out) {
  const std::int64_t number_stride = static_cast<std::int64_t>(query.number_count) * kBlock;
  const std::int64_t code_stride = static_cast<std::int64_t>(query.code_count) * kBlock;
  for (std::int64_t block = first; block < last; ++block) {
    distances_of<D>(numbers + block * number_stride, codes + block * code_stride, query, out);
    if ((at_most(out, near_bound) | at_least(out, far_bound)) != 0) return block;
  }
  return last;
}

template <int D>
std::int64_t seek(const double* numbers, const std::int32_t* codes, std::int64_t first, std::int64_t last,
                  const Query& query, double near_bound, double far_bound, double* out) {
  return seek_in<D>(numbers, codes, first, last, query, near_bound, far_bound, out);
}

template <int D>
std::int64_t seek_images(const float* numbers, const std::int32_t* codes, std::int64_t first, std::int64_t last,
                         const ImageQuery& query, float near_limit, float far_limit) {
  alignas(64) float out[kBlock];
  return seek_in<D>(numbers, codes, first, last, query, near_limit, far_limit, out);
}

// Squares only add: once all partial sums are beyond the limit (their rounding is allowed for in it) so are the sums.
template <int D>
std::int64_t seek_near_images(const float* numbers, const std::int32_t* codes, std::int64_t first, std::int64_t last,
                              const ImageQuery& query, float near_limit) {
  constexpr int kStep = 8;
  if (query.number_count <= kStep) {
    return seek_images<D>(numbers, codes, first, last, query, near_limit, kNothing);
  }
  const std::int64_t number_stride = static_cast<std::int64_t>(query.number_count) * kBlock;
  const std::int64_t code_stride = static_cast<std::int64_t>(query.code_count) * kBlock;
  alignas(64) float out[kBlock];
  for (std::int64_t block = first; block < last; ++block) {
    const float* images = numbers + block * number_stride;
    add_squares<kStep, true>(images, query.numbers, out);
    int done = kStep;
    bool within = at_most(out, near_limit) != 0;
    for (; within && done + kStep <= query.number_count; done += kStep) {
      add_squares<kStep, false>(images + done * kBlock, query.numbers + done, out);
      within = at_most(out, near_limit) != 0;
    }
    if (!within) continue;
    for (; done < query.number_count; ++done) add_squares<1, false>(images + done * kBlock, query.numbers + done, out);
    add_codes(codes + block * code_stride, query, out);
    if (at_most(out, near_limit) != 0) return block;
  }
  return last;
}

template <int D>
Lanes near_images(const float* numbers, const std::int32_t* codes, const ImageQuery& query, float limit) {
  alignas(64) float out[kBlock];
  distances_of<D>(numbers, codes, query, out);
  return at_most(out, limit);
}

template <int D>
Lanes far_images(const float* numbers, const std::int32_t* codes, const ImageQuery& query, float limit) {
  alignas(64) float out[kBlock];
  distances_of<D>(numbers, codes, query, out);
  return at_least(out, limit);
}

// Squared distance from a point to the nearest point of each box. In every attribute it is at most the distance to any
// image inside, so rounding can make it longer only by the relative error of the sum.
template <int D, bool kFirst>
inline void add_gaps(const float* SHOAL_RESTRICT low, const float* SHOAL_RESTRICT high,
                     const float* SHOAL_RESTRICT point, float* SHOAL_RESTRICT out) {
  for (int i = 0; i < kBlock; ++i) {
    float sum = kFirst ? 0.0F : out[i];
    for (int j = 0; j < D; ++j) {
      const float under = low[j * kBlock + i] - point[j];
      const float over = point[j] - high[j * kBlock + i];
      sum = add_square(sum, greatest(greatest(under, over), 0.0F));
    }
    out[i] = sum;
  }
}

template <int D>
inline void gaps(const Boxes& boxes, const float* point, int number_count, float* out) {
  add_in_order<D>(number_count, [&]<int E, bool kFirst>(int from) {
    add_gaps<E, kFirst>(boxes.low + from * kBlock, boxes.high + from * kBlock, point + from, out);
  });
}

// Makes bounds of squared gaps in `out`, and says which lanes are within the limit.
inline Lanes near_of_gaps(const Boxes& boxes, const ImageQuery& query, float limit, float* out) {
  for (int j = 0; j < query.code_count; ++j) {
    const std::uint64_t bit = std::uint64_t{1} << (query.codes[j] & 63);
    const float weight = query.code_weights[j];
    const std::uint64_t* sets = boxes.sets + j * kBlock;
    for (int i = 0; i < kBlock; ++i) out[i] += (sets[i] & bit) != 0 ? 0.0F : weight;
  }
  return at_most(out, limit);
}

inline Lanes far_of_gaps(const Boxes& boxes, const FarQuery& far, float limit, float* out) {
  for (int i = 0; i < kBlock; ++i) out[i] = (boxes.norm[i] * far.growth + far.base) - far.slope * out[i];
  for (int j = 0; j < far.query.code_count; ++j) {
    // A set of this code alone proves that nobody inside differs, but only where no other code shares its bit.
    const std::uint64_t alone = far.code_levels[j] <= 64 ? std::uint64_t{1} << (far.query.codes[j] & 63) : 0;
    const float weight = far.query.code_weights[j];
    const std::uint64_t* sets = boxes.sets + j * kBlock;
    for (int i = 0; i < kBlock; ++i) out[i] += sets[i] == alone ? 0.0F : weight;
  }
  return at_least(out, limit);
}

template <int D>
Lanes near_boxes(const Boxes& boxes, const ImageQuery& query, float limit, float* out) {
  gaps<D>(boxes, query.numbers, query.number_count, out);
  return near_of_gaps(boxes, query, limit, out);
}

template <int D>
Lanes far_boxes(const Boxes& boxes, const FarQuery& far, float limit, float* out) {
  gaps<D>(boxes, far.antipode, far.query.number_count, out);
  return far_of_gaps(boxes, far, limit, out);
}

#include "search/lanes_coded.inl"

#if defined(__AVX512F__)
inline float least_of(const float* values, __mmask16 first, __mmask16 second) {
  const __m512 none = _mm512_set1_ps(kInfinite);
  return _mm512_reduce_min_ps(_mm512_min_ps(_mm512_mask_loadu_ps(none, first, values),
                                            _mm512_mask_loadu_ps(none, second, values + 16)));
}
inline float greatest_of(const float* values, __mmask16 first, __mmask16 second) {
  const __m512 none = _mm512_set1_ps(-kInfinite);
  return _mm512_reduce_max_ps(_mm512_max_ps(_mm512_mask_loadu_ps(none, first, values),
                                            _mm512_mask_loadu_ps(none, second, values + 16)));
}
inline void extent(const float* low, const float* high, int runs, int count, float* least_out, float* greatest_out) {
  const auto mask = static_cast<Lanes>((std::uint64_t{1} << count) - 1);
  const auto first = static_cast<__mmask16>(mask), second = static_cast<__mmask16>(mask >> 16);
  for (int j = 0; j < runs; ++j) {
    least_out[j] = least_of(low + j * kBlock, first, second);
    greatest_out[j] = greatest_of(high + j * kBlock, first, second);
  }
}
#else
inline void extent(const float* low, const float* high, int runs, int count, float* least_out, float* greatest_out) {
  for (int j = 0; j < runs; ++j, low += kBlock, high += kBlock) {
    float smallest = low[0];
    float largest = high[0];
    for (int i = 1; i < count; ++i) {
      smallest = least(smallest, low[i]);
      largest = greatest(largest, high[i]);
    }
    least_out[j] = smallest;
    greatest_out[j] = largest;
  }
}
#endif

template <int D>
float greatest_norm(const float* numbers, int number_count, int count) {
  alignas(64) float norms[kBlock];
  add_in_order<D>(number_count, [&]<int E, bool kFirst>(int from) {
    const float origin[E == 0 ? 1 : E] = {};
    add_squares<E, kFirst>(numbers + from * kBlock, origin, norms);
  });
  float norm = norms[0];
  for (int i = 1; i < count; ++i) norm = greatest(norm, norms[i]);
  return norm;
}

// Each version takes the same operations in the same order, so that all agree to the last bit.
#if defined(SHOAL_VECTOR)
// One vector for eight rows: left to itself the compiler vectorises the short loop over columns instead.
inline void scaled_distances(const double* columns, std::int64_t stride, std::int64_t count, const double* centre,
                             const double* scales, int width, double* out) {
  using Rows = double SHOAL_VECTOR(kRowLanes * sizeof(double));
  for (std::int64_t i = 0; i < count; i += kRowLanes) {
    Rows sums{};
    const double* values = columns + i;
    for (int a = 0; a < width; ++a, values += stride) {
      Rows difference;
      std::memcpy(&difference, values, sizeof difference);
      difference = (difference - centre[a]) * scales[a];
      sums += difference * difference;
    }
    std::memcpy(out + i, &sums, sizeof sums);
  }
}
#else
inline void scaled_distances(const double* columns, std::int64_t stride, std::int64_t count, const double* centre,
                             const double* scales, int width, double* out) {
  for (std::int64_t i = 0; i < count; ++i) out[i] = 0.0;
  for (int a = 0; a < width; ++a) {
    for (std::int64_t i = 0; i < count; ++i) {
      const double difference = (columns[a * stride + i] - centre[a]) * scales[a];
      out[i] += difference * difference;
    }
  }
}
#endif

#include "search/lanes_planes.inl"

inline Lanes lanes_at_most(const float* values, float limit) { return at_most(values, limit); }
inline Lanes lanes_at_least(const float* values, float limit) { return at_least(values, limit); }

template <int D>
constexpr LaneKernels make() {
  return {distances<D>,   near<D>,       far<D>,       seek<D>,       seek_images<D>, seek_near_images<D>,
          near_images<D>, far_images<D>, near_boxes<D>, far_boxes<D>, near_coded<D>, far_coded<D>,
          near_coded_boxes<D>, far_coded_boxes<D>, lanes_at_most, lanes_at_least, extent, greatest_norm<D>, coded_extent,
          scaled_distances, seek_planes};
}

template <int... D>
LaneKernels choose(int number_count, std::integer_sequence<int, D...>) {
  static constexpr LaneKernels table[] = {make<D>()...};
  return number_count <= kUnrolled ? table[number_count] : make<-1>();
}

LaneKernels kernels(int number_count) { return choose(number_count, std::make_integer_sequence<int, kUnrolled + 1>{}); }
