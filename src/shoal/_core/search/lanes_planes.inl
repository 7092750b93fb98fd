// Codes bit by bit: the part of lanes_isa.inl that goes through 512 records at a time (plane_scan.hpp).

using Word = std::uint64_t;

// Adds to the sums from a digit on: what both have is carried to the next one.
template <int kFirst, int kDigits>
inline void add_from(const Word (&added)[kPlaneWords], Word (&sums)[kDigits][kPlaneWords]) {
  Word carry[kPlaneWords];
  for (int i = 0; i < kPlaneWords; ++i) carry[i] = added[i];
  for (int t = kFirst; t < kDigits; ++t) {
    for (int i = 0; i < kPlaneWords; ++i) {
      const Word both = sums[t][i] & carry[i];
      sums[t][i] ^= carry[i];
      carry[i] = both;
    }
  }
}

// Adds a share, digit by digit of it.
template <int kFirst, int kDigits>
inline void add_share(int share, const Word (&unlike)[kPlaneWords], Word (&sums)[kDigits][kPlaneWords]) {
  if constexpr (kFirst < kDigits) {
    if ((share >> kFirst & 1) != 0) add_from<kFirst>(unlike, sums);
    add_share<kFirst + 1>(share, unlike, sums);
  }
}

// Records whose sum is below a limit: from the highest digit on, as soon as the limit has one that the sum has not.
template <int kDigits>
inline void below(const Word (&sums)[kDigits][kPlaneWords], int limit, Word* out) {
  Word equal[kPlaneWords];
  for (int i = 0; i < kPlaneWords; ++i) {
    equal[i] = ~Word{0};
    out[i] = 0;
  }
  for (int t = kDigits - 1; t >= 0; --t) {
    const Word digit = (limit >> t & 1) != 0 ? ~Word{0} : 0;
    for (int i = 0; i < kPlaneWords; ++i) {
      out[i] |= equal[i] & digit & ~sums[t][i];
      equal[i] &= ~(digit ^ sums[t][i]);
    }
  }
}

template <int kDigits, bool kAlike>
std::int64_t seek_sums(const Word* planes, const std::int32_t* lowest, std::int64_t first, std::int64_t last,
                       const PlaneQuery& query, const PlaneLimit& limit, Word* out) {
  const Word beyond = limit.beyond ? ~Word{0} : 0;
  for (std::int64_t block = first; block < last; ++block) {
    const int tied = lowest[block] > limit.row ? 1 : 0;
    const int sum = limit.beyond ? limit.sum + tied : limit.sum - tied;
    if (limit.beyond ? sum >= query.none : sum <= 0) continue;
    const Word* SHOAL_RESTRICT left = planes + block * query.plane_count * kPlaneWords;
    const Word* SHOAL_RESTRICT plane = left;
    const Word* bit = query.bits;
    Word sums[kDigits][kPlaneWords] = {};
    for (int j = 0; j < query.code_count; ++j) {
      Word unlike[kPlaneWords] = {};
      for (int width = query.widths[j]; width > 0; --width, ++bit) {
        plane += kPlaneWords;
        for (int i = 0; i < kPlaneWords; ++i) unlike[i] |= plane[i] ^ *bit;
      }
      if constexpr (kAlike) {
        add_from<0>(unlike, sums);
      } else {
        add_share<0>(query.shares[j], unlike, sums);
      }
    }
    below<kDigits>(sums, sum, out);
    Word any = 0;
    for (int i = 0; i < kPlaneWords; ++i) {
      out[i] = (out[i] ^ beyond) & left[i];
      any |= out[i];
    }
    if (any != 0) return block;
  }
  return last;
}

template <int kDigits>
std::int64_t seek_digits(const Word* planes, const std::int32_t* lowest, std::int64_t first, std::int64_t last,
                         const PlaneQuery& query, const PlaneLimit& limit, Word* out) {
  const auto seek = query.shares == nullptr ? seek_sums<kDigits, true> : seek_sums<kDigits, false>;
  return seek(planes, lowest, first, last, query, limit, out);
}

// With as many digits as the sums have, or a few more.
std::int64_t seek_planes(const Word* planes, const std::int32_t* lowest, std::int64_t first, std::int64_t last,
                         const PlaneQuery& query, const PlaneLimit& limit, Word* out) {
  const auto seek = query.none < 1 << 3   ? seek_digits<3>
                    : query.none < 1 << 4 ? seek_digits<4>
                    : query.none < 1 << 5 ? seek_digits<5>
                    : query.none < 1 << 6 ? seek_digits<6>
                                          : seek_digits<kMostDigits>;
  return seek(planes, lowest, first, last, query, limit, out);
}
