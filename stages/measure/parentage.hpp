#pragma once

#include <cstdint>

#include "stages/core/stage_record.hpp"

namespace srcextract {

/// The result of deblending (stages/deblend/deblend.hpp) for one source. An island is a group of connected pixels
/// before deblending. The core of a source is its branch of the deblending tree: the pixels above the level at which it
/// joins another source.
struct Parentage {
  double x, y;          ///< centroid of the core, in pixels from 0; set only if `split`
  std::int32_t parent;  ///< number of the source's island, from 1
  std::int32_t split;   ///< 1 if the island was split into several sources, else 0
  std::int32_t edge;    ///< 1 if a pixel of the core is at the image's edge, else 0; set only if `split`, or by CLEAN
  std::int32_t last_row = -1;  ///< last row of the island, set by CLEAN; -1: unknown

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
  add("last row of island", &Parentage::last_row);
}

}  // namespace srcextract
