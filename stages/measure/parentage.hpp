#pragma once

#include <cstdint>

#include "stages/core/stage_record.hpp"

namespace srcextract {

/// What deblending (stages/deblend/deblend.hpp) records about a source.
struct Parentage {
  double x, y;                 ///< centroid of its core, 0-based; set only if `split`
  std::int32_t parent;         ///< number of its island before deblending, from 1
  std::int32_t split;          ///< 1 if the island had several sources, else 0
  std::int32_t edge;           ///< 1 if its core has a pixel at the image's edge, else 0; set only if `split`
  std::int32_t last_row = -1;  ///< last row of its island, known after cleaning; -1: not known

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
