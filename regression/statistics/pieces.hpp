#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stages/core/parallel.hpp"

namespace srcextract {

/// Number of values that a thread processes at a time.
inline constexpr std::int64_t piece_of_values = std::int64_t{1} << 16;

/// Calls body(begin, end) in parallel for pieces of [0, count). The pieces do not depend on the number of threads.
template <class Body>
void for_each_piece(std::size_t count, int threads, const Body& body) {
  parallel_for(static_cast<std::int64_t>(count), piece_of_values, Cpu{threads},
               [&](std::int64_t begin, std::int64_t end) {
                 body(static_cast<std::size_t>(begin), static_cast<std::size_t>(end));
               });
}

/// Calls body(begin, end, result) in parallel for pieces of [0, count), with a separate result for each piece. Returns
/// the results in the order of the pieces.
template <class Result, class Body>
std::vector<Result> by_pieces(std::size_t count, int threads, const Body& body) {
  const auto of = static_cast<std::size_t>(piece_of_values);
  std::vector<Result> results((count + of - 1) / of);
  for_each_piece(count, threads, [&](std::size_t begin, std::size_t end) { body(begin, end, results[begin / of]); });
  return results;
}

/// The values value(i) for all i below `count`, computed in parallel.
template <class Value>
std::vector<double> each_value(std::size_t count, int threads, const Value& value) {
  std::vector<double> values(count);
  for_each_piece(count, threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) values[i] = value(i);
  });
  return values;
}

}  // namespace srcextract
