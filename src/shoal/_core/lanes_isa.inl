// The loops of lanes.hpp. Included by one .cpp per instruction set, inside that set's own namespace.
// Nothing here may call an inline function of another header: the linker would keep one copy of it for the whole
// library, perhaps the one compiled for a processor newer than the user's.

constexpr int kUnrolled = 16;

inline double least(double a, double b) { return a < b ? a : b; }
inline double greatest(double a, double b) { return a > b ? a : b; }

inline Lanes at_most(const double* values, double bound) {
  Lanes lanes = 0;
#if defined(__AVX512F__)
  const __m512d limit = _mm512_set1_pd(bound);
  for (int i = 0; i < kBlock; i += 8) {
    lanes |= static_cast<Lanes>(_mm512_cmp_pd_mask(_mm512_loadu_pd(values + i), limit, _CMP_LE_OQ)) << i;
  }
#elif defined(__AVX2__)
  const __m256d limit = _mm256_set1_pd(bound);
  for (int i = 0; i < kBlock; i += 4) {
    lanes |= static_cast<Lanes>(_mm256_movemask_pd(_mm256_cmp_pd(_mm256_loadu_pd(values + i), limit, _CMP_LE_OQ))) << i;
  }
#else
  for (int i = 0; i < kBlock; ++i) lanes |= static_cast<Lanes>(values[i] <= bound) << i;
#endif
  return lanes;
}

inline Lanes at_least(const double* values, double bound) {
  Lanes lanes = 0;
#if defined(__AVX512F__)
  const __m512d limit = _mm512_set1_pd(bound);
  for (int i = 0; i < kBlock; i += 8) {
    lanes |= static_cast<Lanes>(_mm512_cmp_pd_mask(_mm512_loadu_pd(values + i), limit, _CMP_GE_OQ)) << i;
  }
#elif defined(__AVX2__)
  const __m256d limit = _mm256_set1_pd(bound);
  for (int i = 0; i < kBlock; i += 4) {
    lanes |= static_cast<Lanes>(_mm256_movemask_pd(_mm256_cmp_pd(_mm256_loadu_pd(values + i), limit, _CMP_GE_OQ))) << i;
  }
#else
  for (int i = 0; i < kBlock; ++i) lanes |= static_cast<Lanes>(values[i] >= bound) << i;
#endif
  return lanes;
}

// Calls add<D, first>(offset) so that attributes 0..count-1 are added in order, many at a time. With D known, the loop
// over attributes unrolls and the loop over lanes vectorises.
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

template <int D, bool kFirst>
inline void add_squares(const double* __restrict block, const double* __restrict query, double* __restrict out) {
  for (int i = 0; i < kBlock; ++i) {
    double sum = kFirst ? 0.0 : out[i];
    for (int j = 0; j < D; ++j) {
      const double difference = query[j] - block[j * kBlock + i];
      sum += difference * difference;
    }
    out[i] = sum;
  }
}

// D >= 0: exactly D numeric attributes. D < 0: more than kUnrolled.
template <int D>
void distances(const double* numbers, const std::int32_t* codes, const Query& query, double* out) {
  add_in_order<D>(query.number_count, [&]<int E, bool kFirst>(int from) {
    add_squares<E, kFirst>(numbers + from * kBlock, query.numbers + from, out);
  });
  for (int j = 0; j < query.code_count; ++j) {
    const std::int32_t code = query.codes[j];
    const double weight = query.code_weights[j];
    for (int i = 0; i < kBlock; ++i) out[i] += codes[j * kBlock + i] == code ? 0.0 : weight;
  }
}

template <int D>
Lanes near(const double* numbers, const std::int32_t* codes, const Query& query, double bound, double* out) {
  distances<D>(numbers, codes, query, out);
  return at_most(out, bound);
}

template <int D>
Lanes far(const double* numbers, const std::int32_t* codes, const Query& query, double bound, double* out) {
  distances<D>(numbers, codes, query, out);
  return at_least(out, bound);
}

template <int D>
std::int64_t seek(const double* numbers, const std::int32_t* codes, std::int64_t first, std::int64_t last,
                  const Query& query, double near_bound, double far_bound, double* out) {
  const std::int64_t number_stride = static_cast<std::int64_t>(query.number_count) * kBlock;
  const std::int64_t code_stride = static_cast<std::int64_t>(query.code_count) * kBlock;
  for (std::int64_t block = first; block < last; ++block) {
    distances<D>(numbers + block * number_stride, codes + block * code_stride, query, out);
    if ((at_most(out, near_bound) | at_least(out, far_bound)) != 0) return block;
  }
  return last;
}

// The distance from the query to the nearest point of each box. Every operation is monotone in the coordinates and the
// order is that of the distances themselves, so rounding included no record inside can come out nearer.
template <int D, bool kFirst>
inline void add_gaps(const double* __restrict low, const double* __restrict high, const double* __restrict query,
                     double* __restrict out) {
  for (int i = 0; i < kBlock; ++i) {
    double sum = kFirst ? 0.0 : out[i];
    for (int j = 0; j < D; ++j) {
      const double under = low[j * kBlock + i] - query[j];
      const double over = query[j] - high[j * kBlock + i];
      const double gap = greatest(greatest(under, over), 0.0);
      sum += gap * gap;
    }
    out[i] = sum;
  }
}

template <int D>
Lanes near_boxes(const Boxes& boxes, const Query& query, double bound, double* out) {
  add_in_order<D>(query.number_count, [&]<int E, bool kFirst>(int from) {
    add_gaps<E, kFirst>(boxes.low + from * kBlock, boxes.high + from * kBlock, query.numbers + from, out);
  });
  for (int j = 0; j < query.code_count; ++j) {
    const std::uint64_t bit = std::uint64_t{1} << (query.codes[j] & 63);
    const double weight = query.code_weights[j];
    const std::uint64_t* sets = boxes.sets + j * kBlock;
    for (int i = 0; i < kBlock; ++i) out[i] += (sets[i] & bit) != 0 ? 0.0 : weight;
  }
  return at_most(out, bound);
}

// The distance from the query to the farthest corner of each box, monotone like add_gaps.
template <int D, bool kFirst>
inline void add_corners(const double* __restrict low, const double* __restrict high, const double* __restrict query,
                        double* __restrict out) {
  for (int i = 0; i < kBlock; ++i) {
    double sum = kFirst ? 0.0 : out[i];
    for (int j = 0; j < D; ++j) {
      const double under = query[j] - low[j * kBlock + i];
      const double over = high[j * kBlock + i] - query[j];
      const double reach = greatest(greatest(under, over), 0.0);
      sum += reach * reach;
    }
    out[i] = sum;
  }
}

template <int D>
Lanes far_boxes(const Boxes& boxes, const FarQuery& far, double bound, double* out) {
  if (far.antipode != nullptr) {
    add_in_order<D>(far.query.number_count, [&]<int E, bool kFirst>(int from) {
      add_gaps<E, kFirst>(boxes.low + from * kBlock, boxes.high + from * kBlock, far.antipode + from, out);
    });
    for (int i = 0; i < kBlock; ++i) out[i] = (boxes.norm[i] * far.growth + far.base) - far.slope * out[i];
  } else {
    add_in_order<D>(far.query.number_count, [&]<int E, bool kFirst>(int from) {
      add_corners<E, kFirst>(boxes.low + from * kBlock, boxes.high + from * kBlock, far.query.numbers + from, out);
    });
  }
  for (int j = 0; j < far.query.code_count; ++j) {
    // Only a set of one code below 64 proves that nobody inside differs.
    const std::int32_t code = far.query.codes[j];
    const std::uint64_t alone = code < 64 ? std::uint64_t{1} << code : 0;
    const double weight = far.query.code_weights[j];
    const std::uint64_t* sets = boxes.sets + j * kBlock;
    for (int i = 0; i < kBlock; ++i) out[i] += sets[i] == alone ? 0.0 : weight;
  }
  return at_least(out, bound);
}

inline void extent(const double* low, const double* high, int runs, int count, double* least_out,
                   double* greatest_out) {
  constexpr int kStrip = 8;
  for (int j = 0; j < runs; ++j, low += kBlock, high += kBlock) {
    double smallest[kStrip];
    double largest[kStrip];
    for (int l = 0; l < kStrip; ++l) {
      smallest[l] = low[0];
      largest[l] = high[0];
    }
    int i = 0;
    for (; i + kStrip <= count; i += kStrip) {
      for (int l = 0; l < kStrip; ++l) smallest[l] = least(smallest[l], low[i + l]);
      for (int l = 0; l < kStrip; ++l) largest[l] = greatest(largest[l], high[i + l]);
    }
    for (int l = 0; i + l < count; ++l) {
      smallest[l] = least(smallest[l], low[i + l]);
      largest[l] = greatest(largest[l], high[i + l]);
    }
    for (int step = kStrip / 2; step > 0; step /= 2) {
      for (int l = 0; l < step; ++l) {
        smallest[l] = least(smallest[l], smallest[l + step]);
        largest[l] = greatest(largest[l], largest[l + step]);
      }
    }
    least_out[j] = smallest[0];
    greatest_out[j] = largest[0];
  }
}

template <int D>
constexpr LaneKernels make() {
  return {distances<D>, near<D>, far<D>, seek<D>, near_boxes<D>, far_boxes<D>, at_most, at_least, extent};
}

LaneKernels kernels(int number_count) {
  static constexpr LaneKernels table[kUnrolled + 1] = {
      make<0>(),  make<1>(),  make<2>(),  make<3>(),  make<4>(),  make<5>(),  make<6>(),  make<7>(), make<8>(),
      make<9>(),  make<10>(), make<11>(), make<12>(), make<13>(), make<14>(), make<15>(), make<16>()};
  return number_count <= kUnrolled ? table[number_count] : make<-1>();
}
