#include "io/tiles/tile_reader.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "stages/core/error.hpp"

namespace srcextract {
namespace {

Buffer<std::byte, Cpu> memory_for(const InputFile& file, const Hdu& hdu) {
  const std::int64_t length = in_records(hdu.data_bytes);
  try {
    return {length, Cpu{}};
  } catch (const std::bad_alloc&) {
    throw memory_error(length, file.path(), "to read HDU " + std::to_string(hdu.index));
  }
}

/// Reads the data unit into memory. Throws Error{input} if the header in the file differs from that of `hdu`.
Buffer<std::byte, Cpu> read_data(const InputFile& file, const Hdu& hdu) {
  std::string cards(hdu.cards.size(), ' ');
  file.read(hdu.begin, std::ssize(cards), reinterpret_cast<std::byte*>(cards.data()));
  if (cards != hdu.cards) {
    throw Error(ErrorKind::input,
                describe(hdu, file.path()) + " changed while it was read; do not write to the file meanwhile");
  }
  Buffer<std::byte, Cpu> data = memory_for(file, hdu);
  file.read(hdu.data_begin, hdu.data_bytes, data.data());
  std::fill(data.data() + hdu.data_bytes, data.end(), std::byte{0});
  return data;
}

}  // namespace

/// A request for pixels [first, end) of a plane, counted row by row.
struct TileReader::Request {
  std::int64_t plane, first, end, width;
  std::byte* out;

  /// Calls f(y, begin, end) for each row y of the tile in which the request covers columns [begin, end).
  template <class F>
  void for_each_row(const PlaneTile& tile, F&& f) const {
    const std::int64_t last_row = std::min(tile.y + tile.height - 1, (end - 1) / width);
    for (std::int64_t y = std::max(tile.y, first / width); y <= last_row; ++y) {
      const std::int64_t columns_begin = std::max(tile.x, first - y * width);
      const std::int64_t columns_end = std::min(tile.x + tile.width, end - y * width);
      if (columns_begin < columns_end) f(y, columns_begin, columns_end);
    }
  }

  std::int64_t pixels_of(const PlaneTile& tile) const {
    std::int64_t pixels = 0;
    for_each_row(tile, [&](std::int64_t, std::int64_t columns_begin, std::int64_t columns_end) {
      pixels += columns_end - columns_begin;
    });
    return pixels;
  }

  /// Copies the requested pixels of a tile to `out`. `pixels` are the decoded pixels of the tile that lie in the plane
  /// of the request.
  void copy(const PlaneTile& tile, const std::byte* pixels, std::int64_t pixel_bytes) const {
    for_each_row(tile, [&](std::int64_t y, std::int64_t columns_begin, std::int64_t columns_end) {
      const std::int64_t from = (y - tile.y) * tile.width + columns_begin - tile.x;
      std::memcpy(out + (y * width + columns_begin - first) * pixel_bytes, pixels + from * pixel_bytes,
                  static_cast<std::size_t>((columns_end - columns_begin) * pixel_bytes));
    });
  }
};

/// A tile that several requests read in parts. The first request decodes the tile, later requests reuse the pixels.
/// Only pixels in the requested plane are kept, so that all kept tiles together are never larger than the plane.
struct TileReader::SharedTile {
  std::mutex turn;                      ///< guards `pixels` and `left`; locked while a thread decodes or copies
  std::unique_ptr<std::byte[]> pixels;  ///< pixels in the plane; null until decoded
  std::int64_t left;                    ///< number of pixels in the plane that no request has copied yet
};

TileReader::TileReader(const InputFile& file, const Hdu& hdu)
    : path_(file.path()),
      hdu_(hdu),
      data_(read_data(file, hdu)),
      decoder_(open_tile_table(path_, hdu_, data().first(static_cast<std::size_t>(hdu_.data_bytes)))),
      pixel_bytes_(std::abs(hdu.bitpix) / 8) {}

std::span<const std::byte> TileReader::data() const {
  return {data_.data(), static_cast<std::size_t>(data_.size())};
}

void TileReader::read(std::int64_t plane, std::int64_t first, std::int64_t count, std::byte* out) {
  if (count <= 0) return;
  const TileGrid& grid = decoder_.grid();
  const Request request{plane, first, first + count, grid.plane_width(), out};
  const std::int64_t band = request.width * grid.tile_height();
  std::vector<PlaneTile> busy, whole;
  for (std::int64_t row = first / band; row <= (request.end - 1) / band; ++row) {
    for (std::int64_t column = 0; column < grid.tiles_across(); ++column) {
      const PlaneTile tile = grid.in_plane(plane, column, row);
      if (request.pixels_of(tile) < tile.width * tile.height) {
        if (!serve(tile, request, false)) busy.push_back(tile);
        continue;
      }
      whole.push_back(tile);
      if (whole.size() < decoder_.together()) continue;
      serve_whole(whole, request);
      whole.clear();
    }
  }
  serve_whole(whole, request);
  for (const PlaneTile& tile : busy) serve(tile, request, true);
}

void TileReader::forget_reads(std::int64_t plane) {
  const std::lock_guard lock(mutex_);
  std::erase_if(shared_, [&](const auto& one) { return one.first.first == plane; });
}

std::optional<RicePlane> TileReader::rice_plane(std::int64_t plane) const {
  const TileGrid& grid = decoder_.grid();
  std::optional<RicePlane> found = decoder_.rice();
  const PlaneTile first = grid.in_plane(plane, 0, 0);
  if (!found || first.pixels != first.width * first.height) return std::nullopt;
  found->most_pixels = first.pixels;
  found->tiles = grid.tiles_across() * grid.tiles_down();
  found->tile = [this, plane](std::int64_t number) {
    const TileGrid& of = decoder_.grid();
    const PlaneTile place = of.in_plane(plane, number % of.tiles_across(), number / of.tiles_across());
    RiceTile tile = decoder_.rice_tile(place.number);
    tile.x = place.x;
    tile.y = place.y;
    tile.width = place.width;
    tile.height = place.height;
    return tile;
  };
  return found;
}

/// Copies the requested part of a tile. If another thread holds the tile's lock, waits if `wait` is true, else returns
/// false at once.
bool TileReader::serve(const PlaneTile& tile, const Request& request, bool wait) {
  const std::int64_t wanted = request.pixels_of(tile);
  if (wanted == 0) return true;
  const Key key(request.plane, tile.number);
  const std::shared_ptr<SharedTile> shared = share(tile, key);
  std::unique_lock turn(shared->turn, std::defer_lock);
  if (wait) turn.lock();
  if (!turn.owns_lock() && !turn.try_lock()) return false;
  if (!shared->pixels) shared->pixels = decode_in_plane(tile);
  request.copy(tile, shared->pixels.get(), pixel_bytes_);
  shared->left -= wanted;
  if (shared->left <= 0) {
    const std::lock_guard lock(mutex_);
    shared_.erase(key);
  }
  return true;
}

/// Decodes tiles that the request covers entirely, at most most_tiles_together, and copies their pixels.
void TileReader::serve_whole(std::span<const PlaneTile> tiles, const Request& request) {
  const auto in_place = [&](const PlaneTile& tile) {
    return tile.width == request.width && tile.pixels == tile.width * tile.height;
  };
  std::int64_t elsewhere = 0;
  for (const PlaneTile& tile : tiles) {
    if (!decoder_.can_be_decoded(tile.number)) fail_on_damage();
    if (!in_place(tile)) elsewhere += tile.pixels * pixel_bytes_;
  }
  const std::unique_ptr<std::byte[]> memory = memory_for_tiles(elsewhere);
  std::array<std::int64_t, most_tiles_together> numbers;
  std::array<std::byte*, most_tiles_together> out;
  std::byte* next = memory.get();
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    const PlaneTile& tile = tiles[i];
    numbers[i] = tile.number;
    out[i] = in_place(tile) ? request.out + (tile.y * tile.width - request.first) * pixel_bytes_ : next;
    if (!in_place(tile)) next += tile.pixels * pixel_bytes_;
  }
  const std::size_t count = tiles.size();
  if (!decoder_.decode(std::span(numbers).first(count), std::span(out).first(count))) fail_on_damage();
  for (std::size_t i = 0; i < count; ++i)
    if (!in_place(tiles[i])) request.copy(tiles[i], out[i] + tiles[i].before * pixel_bytes_, pixel_bytes_);
}

std::unique_ptr<std::byte[]> TileReader::memory_for_tiles(std::int64_t bytes) const {
  std::unique_ptr<std::byte[]> memory(new (std::nothrow) std::byte[static_cast<std::size_t>(bytes)]);
  if (!memory) throw memory_error(bytes, path_, "to decompress a tile");
  return memory;
}

std::shared_ptr<TileReader::SharedTile> TileReader::share(const PlaneTile& tile, const Key& key) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<SharedTile>& shared = shared_[key];
  if (!shared) {
    shared = std::make_shared<SharedTile>();
    shared->left = tile.width * tile.height;
  }
  return shared;
}

std::unique_ptr<std::byte[]> TileReader::decode_in_plane(const PlaneTile& tile) {
  std::unique_ptr<std::byte[]> whole = decode(tile.number);
  const std::int64_t count = tile.width * tile.height;
  if (count == tile.pixels) return whole;
  const std::int64_t bytes = count * pixel_bytes_;
  auto part = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes));
  std::copy_n(whole.get() + tile.before * pixel_bytes_, bytes, part.get());
  return part;
}

std::unique_ptr<std::byte[]> TileReader::decode(std::int64_t tile) {
  std::unique_ptr<std::byte[]> pixels = decode_unless_damaged(tile);
  if (!pixels) fail_on_damage();
  return pixels;
}

std::unique_ptr<std::byte[]> TileReader::decode_unless_damaged(std::int64_t tile) {
  if (!decoder_.can_be_decoded(tile)) return nullptr;
  std::unique_ptr<std::byte[]> pixels = memory_for_tiles(decoder_.grid().pixels(tile) * pixel_bytes_);
  if (!decoder_.decode(tile, pixels.get())) return nullptr;
  return pixels;
}

/// Throws Error{input} that names the first damaged tile of the image, so that all threads report the same tile.
void TileReader::fail_on_damage() {
  std::int64_t tile = 0;
  while (decode_unless_damaged(tile)) ++tile;
  throw Error(ErrorKind::input, describe(hdu_, path_) + ": tile " + std::to_string(tile) +
                                    " of the compressed image is damaged; fetch or make the file again");
}

}  // namespace srcextract
