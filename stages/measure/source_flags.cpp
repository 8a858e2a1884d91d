#include "stages/measure/source_flags.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <string>
#include <unordered_map>
#include <vector>

#include "stages/core/error.hpp"
#include "stages/core/parallel.hpp"
#include "stages/ingest/stored_bits.hpp"

namespace srcextract {
namespace {

/// A thread reads a piece of piece_pixels pixels at a time. pieces_together pieces are read in parallel and kept until
/// they are added up.
constexpr std::int64_t piece_pixels = std::int64_t{1} << 17;
constexpr std::int64_t pieces_together = 16;

/// Consecutive pixels of a source with the same flags.
struct Flagged {
  std::int32_t label;
  std::uint32_t flags;
  std::int64_t pixels;
};

void keep(FlagTally& tally, const Flagged& more, bool replaces) {
  if (replaces) tally = {more.flags, 0};
  if (tally.flags == more.flags) tally.pixels += more.pixels;
}

/// Adds pixels to the tally of a source, for every FlagType except `most`.
void add(FlagTally& tally, const Flagged& more, FlagType type) {
  const bool first = tally.pixels == 0;
  const std::int64_t flags = more.flags;
  switch (type) {
    case FlagType::bit_or:
      tally = {tally.flags | flags, tally.pixels + more.pixels};
      break;
    case FlagType::bit_and:
      tally = {first ? flags : tally.flags & flags, tally.pixels + more.pixels};
      break;
    case FlagType::min:
      keep(tally, more, first || flags < tally.flags);
      break;
    default:
      keep(tally, more, first || flags > tally.flags);
  }
}

/// Counts, for every source, how many of its pixels have each value of the flags. The number of entries is limited, so
/// that the table needs about as much memory as the image and its sources.
class Frequencies {
 public:
  Frequencies(const FlagMap& map, std::int64_t sources)
      : keys_(map.keys), most_((std::int64_t{1} << 16) + map.pixels.shape.count() / 16 + 4 * sources) {}

  void add(const Flagged& more) {
    if (std::ssize(seen_) > most_) fail();
    const std::uint64_t key = std::uint64_t{static_cast<std::uint32_t>(more.label)} << 32 | more.flags;
    Seen& seen = seen_.try_emplace(key, Seen{static_cast<std::int64_t>(seen_.size()), 0}).first->second;
    seen.pixels += more.pixels;
  }

  /// Sets the tally of each source to the most frequent flags. If several are equally frequent, the flags that were
  /// added first win.
  void tell(std::vector<FlagTally>& tallies) const {
    std::vector<std::int64_t> place(tallies.size());
    for (const auto& [key, seen] : seen_) {
      const auto row = static_cast<std::size_t>(key >> 32) - 1;
      FlagTally& tally = tallies[row];
      if (seen.pixels < tally.pixels || (seen.pixels == tally.pixels && seen.place > place[row])) continue;
      tally = {static_cast<std::uint32_t>(key), seen.pixels};
      place[row] = seen.place;
    }
  }

 private:
  struct Seen {
    std::int64_t place;  ///< index of the entry in the order of addition
    std::int64_t pixels;
  };
  [[noreturn]] void fail() const {
    throw Error(ErrorKind::input, "the map of flags has more than " + std::to_string(most_) +
                                      " values that differ within a source, too many to count the most frequent of; is "
                                      "it another map (" +
                                      keys_ + ".file, " + keys_ + ".hdu)? Choose bits of it (" + keys_ +
                                      ".bits), or another " + keys_ + ".type");
  }

  const std::string keys_;
  const std::int64_t most_;
  std::unordered_map<std::uint64_t, Seen> seen_;
};

/// Returns the flags of the pixels [begin, end) that belong to sources and have flags, in raster order.
template <class Stored>
std::vector<Flagged> flags_of_piece(const FlagMap& map, const std::byte* stored, std::int64_t begin, std::int64_t end,
                                    const Runs<Cpu>& runs, const Buffer<std::int32_t, Cpu>& label) {
  const PixelFormat& format = map.pixels.format;
  const std::int64_t width = runs.shape.width;
  std::vector<Flagged> found;
  for (std::int64_t i = runs.row_begin[begin / width]; i < runs.row_begin[(end - 1) / width + 1]; ++i) {
    const Run& run = runs.runs[i];
    if (label[i] == 0) continue;
    const std::int64_t row = run.y * width;
    for (std::int64_t k = std::max(begin, row + run.begin); k < std::min(end, row + run.end); ++k) {
      const auto value = load_stored<Stored>(stored + (k - begin) * format.bytes(), format);
      if (is_blank<Stored>(value, format)) continue;
      const auto flags = static_cast<std::uint32_t>(bits_of<Stored>(value, format.bzero) & map.bits);
      if (flags == 0) continue;
      const bool goes_on = !found.empty() && found.back().label == label[i] && found.back().flags == flags;
      if (!goes_on) found.push_back({label[i], flags, 0});
      ++found.back().pixels;
    }
  }
  return found;
}

/// Reads the pixels [begin, end) of the map, and returns the flags of the pixels that belong to sources.
std::vector<Flagged> read_piece(const FlagMap& map, std::int64_t begin, std::int64_t end, const Runs<Cpu>& runs,
                                const Buffer<std::int32_t, Cpu>& label) {
  thread_local std::vector<std::byte> stored;
  stored.resize(static_cast<std::size_t>((end - begin) * map.pixels.format.bytes()));
  map.pixels.read(begin, end - begin, stored.data());
  std::vector<Flagged> found;
  with_stored_type(map.pixels.format.bitpix, [&]<class Stored>(Stored) {
    if constexpr (std::is_integral_v<typename Stored::Value>)
      found = flags_of_piece<Stored>(map, stored.data(), begin, end, runs, label);
  });
  return found;
}

}  // namespace

std::string flags_problem(const PixelFormat& format) {
  if (format.bitpix < 0) return "holds real numbers, which are no flags; convert it to integers";
  if (format.bitpix > 32) return "holds integers of 64 bits, and flags have 32 at most; convert it";
  const double offset = format.bitpix == 8 ? -128.0 : std::ldexp(1.0, format.bitpix - 1);
  if (format.bscale != 1 || (format.bzero != 0 && format.bzero != offset))
    return "holds integers that BSCALE and BZERO scale, which are no flags; convert it";
  return "";
}

void flag_sources(const FlagMap& map, const Runs<Cpu>& runs, const Buffer<std::int32_t, Cpu>& label, Sources& sources,
                  const Cpu& where) {
  std::vector<FlagTally> tallies(static_cast<std::size_t>(sources.size()));
  const std::int64_t count = map.pixels.shape.count();
  Frequencies frequencies(map, sources.size());
  for (std::int64_t first = 0; first < count; first += pieces_together * piece_pixels) {
    const std::int64_t pixels = std::min(count - first, pieces_together * piece_pixels);
    std::vector<std::vector<Flagged>> pieces(pieces_together);
    parallel_for(pixels, piece_pixels, where, [&](std::int64_t begin, std::int64_t end) {
      pieces[static_cast<std::size_t>(begin / piece_pixels)] = read_piece(map, first + begin, first + end, runs, label);
    });
    for (const std::vector<Flagged>& piece : pieces) {
      for (const Flagged& flagged : piece) {
        if (map.type == FlagType::most) {
          frequencies.add(flagged);
        } else {
          add(tallies[static_cast<std::size_t>(flagged.label) - 1], flagged, map.type);
        }
      }
    }
  }
  frequencies.tell(tallies);
  constexpr const char* of_further_maps[] = {"Flags of its pixels, by one more map of flags",
                                             "Number of its pixels that those flags are of"};
  constexpr std::size_t kinds = std::size(flag_map_columns);
  const auto before = std::ranges::count(sources.columns, CatalogPart::flag_maps, &CatalogColumn::part);
  const std::size_t map_number = static_cast<std::size_t>(before) / kinds;
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    ColumnOf<FlagTally> column = flag_map_columns[kind];
    if (before > 0) column.declared.column.description = of_further_maps[kind];
    const auto value = [&](auto formula, std::size_t row) { return formula(tallies[row]); };
    add_column(column, CatalogPart::flag_maps, sources, where, value, map_number);
  }
}

}  // namespace srcextract
