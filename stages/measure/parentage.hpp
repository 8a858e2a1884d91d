#pragma once

#include <cstdint>

#include "stages/core/stage_record.hpp"

namespace srcextract {

/// What deblending (stages/deblend/deblend.hpp) says of a source.
struct Parentage {
  double x, y;          ///< centroid of its core, 0-based; only of what was split
  std::int32_t parent;  ///< number of the island that it was in before, from 1
  std::int32_t split;   ///< 1 if it shared that with others, else 0
  std::int32_t edge;    ///< 1 if a pixel of its core is at the edge of the image, else 0; only of what was split

  bool operator==(const Parentage&) const = default;
};

inline void record_fields(const Buffer<Parentage, Cpu>& parentage, FieldRecorder& to) {
  const auto add = [&](const char* name, auto Parentage::*member) {
    to.members(name, Element::source, parentage, member);
  };
  add("x of core", &Parentage::x);
  add("y of core", &Parentage::y);
  add("parent", &Parentage::parent);
  add("split", &Parentage::split);
  add("core at edge", &Parentage::edge);
}

}  // namespace srcextract
