#include "survey/inputs/shard.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <queue>
#include <string_view>
#include <tuple>
#include <utility>

#include "stages/core/error.hpp"

namespace srcextract {
namespace {

/// The integer that the whole text represents; empty if there is none.
std::optional<int> whole_number(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string array_variable(const char* what) {
  return std::string("SLURM_ARRAY_TASK_") + what;
}

[[noreturn]] void fail_on_array(const std::string& problem) {
  throw Error(ErrorKind::config,
              problem + ", so it cannot be told which part of the survey this task is; say so with --shard I/N");
}

int array_number(const char* what) {
  const std::string name = array_variable(what);
  const char* text = std::getenv(name.c_str());
  if (!text) fail_on_array(array_variable("ID") + " is set, but " + name + " is not");
  const std::optional<int> number = whole_number(text);
  if (!number) fail_on_array(name + " is '" + text + "', which is no number");
  return *number;
}

/// The number and bytes of the files that were assigned to a shard so far. The next file goes to the shard with the
/// fewest bytes; among equal shards, to the shard with the fewest files, then to the first shard.
struct Load {
  std::int64_t bytes = 0, files = 0;
  int index = 0;

  bool operator>(const Load& load) const {
    return std::tie(bytes, files, index) > std::tie(load.bytes, load.files, load.index);
  }
};

}  // namespace

bool is_part(const Shard& shard) {
  return shard.index >= 1 && shard.index <= shard.count && shard.count <= most_shards;
}

std::string shard_text(const Shard& shard) {
  return std::to_string(shard.index) + "/" + std::to_string(shard.count);
}

Shard parse_shard(const std::string& text) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  const std::optional<int> index = whole_number(std::string_view(text).substr(0, slash));
  const std::optional<int> count =
      slash < text.size() ? whole_number(std::string_view(text).substr(slash + 1)) : std::nullopt;
  if (!index || !count || !is_part({*index, *count}))
    throw Error(ErrorKind::config, "--shard " + text + " is no shard; write I/N, I from 1 to N, and N at " +
                                       "most a million: --shard 2/4 is part 2 of 4, counted from 1");
  return {*index, *count};
}

std::optional<Shard> slurm_shard() {
  if (!std::getenv(array_variable("ID").c_str())) return std::nullopt;
  const std::int64_t id = array_number("ID"), min = array_number("MIN"), max = array_number("MAX");
  const std::int64_t step = array_number("STEP"), count = array_number("COUNT");
  const bool even =
      step > 0 && count > 0 && max - min == (count - 1) * step && id >= min && id <= max && (id - min) % step == 0;
  if (!even) {
    fail_on_array("the ids of this job array are not evenly spaced: this is task " + std::to_string(id) + " of " +
                  std::to_string(count) + " from " + std::to_string(min) + " to " + std::to_string(max) +
                  " in steps of " + std::to_string(step));
  }
  if (count > most_shards)
    fail_on_array("this job array has " + std::to_string(count) + " tasks, and a survey has at most a million parts");
  return Shard{static_cast<int>((id - min) / step) + 1, static_cast<int>(count)};
}

ImageFiles share_of(const Shard& shard, ImageFiles files) {
  if (shard.count == 1) return files;
  std::vector<std::size_t> largest_first(files.size());
  std::iota(largest_first.begin(), largest_first.end(), std::size_t{0});
  std::sort(largest_first.begin(), largest_first.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(files.bytes(b), files.name(a)) < std::pair(files.bytes(a), files.name(b));
  });

  std::vector<Load> loads(static_cast<std::size_t>(shard.count));
  for (int i = 0; i < shard.count; ++i) loads[static_cast<std::size_t>(i)].index = i + 1;
  std::priority_queue least(std::greater<>(), std::move(loads));
  std::vector<std::size_t> ours;
  for (const std::size_t file : largest_first) {
    Load load = least.top();
    least.pop();
    if (load.index == shard.index) ours.push_back(file);
    load.bytes += files.bytes(file);
    ++load.files;
    least.push(load);
  }

  std::sort(ours.begin(), ours.end());
  files.select(ours);
  return files;
}

}  // namespace srcextract
