#pragma once

#include <optional>
#include <string>
#include <vector>

#include "survey/inputs/image_files.hpp"

namespace srcextract {

/// Part `index` of `count` of a survey, from 1.
struct Shard {
  int index = 1, count = 1;

  bool operator==(const Shard&) const = default;
};

/// A survey has no more.
inline constexpr int most_shards = 1'000'000;

/// Whether there can be such a part.
bool is_part(const Shard& shard);

/// "2/4".
std::string shard_text(const Shard& shard);

/// Reads it. Throws Error{config}.
Shard parse_shard(const std::string& text);

/// The task of a Slurm job array that this process is, from SLURM_ARRAY_TASK_ID, _MIN, _MAX, _STEP, _COUNT; none
/// outside of one. Throws Error{config} if they contradict each other (an array of ids that are not evenly spaced, as
/// in 1,3,4).
std::optional<Shard> slurm_shard();

/// The files of that shard, in their order: every file is in exactly one, and shards have about as many bytes each. It
/// depends on names and sizes alone: largest first, each to the shard that has least so far.
ImageFiles share_of(const Shard& shard, ImageFiles files);

}  // namespace srcextract
