#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stages/deblend/deblend.hpp"
#include "stages/measure/measure.hpp"

namespace srcextract {

/// Whose the pixels of a run are, as apertures see it that leave out what belongs to other sources.
enum class Eaten : std::uint8_t {
  no,      ///< they were its source's before
  free,    ///< of one that was eaten: as if they were nobody's
  hidden,  ///< of one that was eaten, where SExtractor has them taken for somebody else's
};

/// Sources of which some became parts of others.
template <class Where>
struct Cleaned {
  Components<Where> components;        ///< per run: the source that it belongs to now, numbered anew
  Buffer<Eaten, Where> eaten;          ///< of every run
  Components<Where> own;               ///< the same as `components` without what was eaten, which is 0
  Buffer<SourceSums, Where> own_sums;  ///< over those, in the image in which sources were found
  Buffer<Parentage, Where> parentage;  ///< of every source that is left; `edge` is that of all that belongs to it
};

/// What is cleaned: sources as deblending leaves them (`parentage` and `cores` are empty where it is off, and what is
/// said of islands is said of the sources), and their sums in the image in which they were found.
template <class Where>
struct Uncleaned {
  const Runs<Where>& runs;
  const Components<Where>& components;
  const Runs<Where>& island_runs;
  const Components<Where>& islands;
  const CorePixels<Where>& cores;
  const Buffer<Parentage, Where>& parentage;
  const Buffer<SourceSums, Where>& sums;

  bool deblended() const { return !parentage.empty(); }
};

/// The stage: sources in the wings of brighter ones, which would not stand out without their light, become parts of
/// these: SExtractor's CLEAN (Bertin & Arnouts 1996, section 6; docs/stages.md has every definition), but whatever the
/// order in which sources are compared, which SExtractor leaves to where they end.
///
/// A source that eats another keeps its position and shape; its pixels, fluxes, extents and flags are those of both.
/// Sources are numbered in raster order of their first pixel, after cleaning; `components.counts.found` is what it was.
/// `kernel_rows` is the height of the kernel by which the image was convolved, or 1: eaten pixels in the last of the
/// rows by which SExtractor's cleaning is late by half of it are hidden.
///
/// A device throws Error{device} from 2^31 pixels on; where it has too little room the counts of sources say so.
Cleaned<Cpu> clean_sources(const DeblendImages<Cpu>& images, const Uncleaned<Cpu>& sources, const Config& config,
                           std::int64_t kernel_rows, const Cpu& where);
Cleaned<Gpu> clean_sources(const DeblendImages<Gpu>& images, const Uncleaned<Gpu>& sources, const Config& config,
                           std::int64_t kernel_rows, const Gpu& where);

/// What has its place elsewhere once sources are cleaned left out.
inline void record_fields(const Cleaned<Cpu>& cleaned, FieldRecorder& to) {
  record_fields(cleaned.own, to);
  std::vector<std::int32_t> eaten;
  for (const Eaten one : cleaned.eaten) eaten.push_back(static_cast<std::int32_t>(one));
  to.values("eaten", Element::run, std::span<const std::int32_t>(eaten));
  record_fields(cleaned.own_sums, to);
}

}  // namespace srcextract
