#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "io/image/fits_image.hpp"
#include "stages/ingest/ingest.hpp"
#include "stages/ingest/rice_pixels.hpp"
#include "stages/ingest/rice_stream.hpp"
#include "tests/io/support/compressed_files.hpp"
#include "tests/support/temporary_folder.hpp"

namespace srcextract::testing {

/// A stream as a thread of the device reads it, which what follows it must not disturb.
class WordsOfThread {
 public:
  WordsOfThread(std::span<const std::byte> stream, std::uint8_t behind = 0xa5)
      : groups_(stream.size() / sizeof(Group) + 1), bytes_(static_cast<std::uint32_t>(stream.size())) {
    std::memset(groups_.data(), behind, groups_.size() * sizeof(Group));
    std::memcpy(groups_.data(), stream.data(), stream.size());
  }

  RiceStream stream(const RiceCoding& coding) {
    return RiceStream(RiceWords(groups_.data()->word, bytes_, ring_, 2), bytes_, coding);
  }

 private:
  struct alignas(16) Group {
    std::uint32_t word[4];
  };

  std::vector<Group> groups_;
  std::uint32_t bytes_;
  std::uint32_t ring_[2 * RiceWords::ring_words] = {};
};

/// Compressed files, opened.
class CompressedFiles {
 public:
  FitsImage open(const std::string& bytes) {
    return select_images(folder_.write(std::to_string(files_++) + ".fits.fz", bytes), "1").at(0).open();
  }

 private:
  TemporaryFolder folder_;
  int files_ = 0;
};

template <class T>
inline constexpr int type_of = std::is_same_v<T, std::uint8_t>   ? TBYTE
                               : std::is_same_v<T, std::int16_t> ? TSHORT
                               : std::is_same_v<T, std::int32_t> ? TINT
                               : std::is_same_v<T, float>        ? TFLOAT
                                                                 : TDOUBLE;

/// A sky with stars, rows of one value, steps that no code is short for, and, of floats, null pixels and zeros.
template <class T>
std::vector<T> compressible_sky(long width, long height, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<> noise(120, 9);
  std::vector<T> pixels(static_cast<std::size_t>(width * height));
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    const std::size_t row = i / static_cast<std::size_t>(width), kind = row % 11;
    double value = noise(random) + (i % 1009 == 0 ? 100 : 0);
    if (kind == 7 && std::is_integral_v<T>) value = 33;
    if (kind == 8 && std::is_integral_v<T>) value = static_cast<double>(random() % (sizeof(T) == 1 ? 256 : 32000));
    if (kind == 9 && random() % 40 == 0) value += sizeof(T) == 1 ? 80 : 9000;
    if (std::is_floating_point_v<T> && random() % 300 == 0) value = random() % 2 == 0 ? double{null_pixel} : 0;
    pixels[i] = static_cast<T>(value);
  }
  return pixels;
}

template <class T>
std::string compressed_sky(const Compression& how, long width, long height, unsigned seed = 5) {
  constexpr int bits = static_cast<int>(sizeof(T)) * (std::is_integral_v<T> ? 8 : -8);
  return compressed_file(how, bits, type_of<T>, {width, height}, compressible_sky<T>(width, height, seed));
}

struct NamedFile {
  std::string name, bytes;
};

/// Files with tiles of all the kinds that the device decodes.
inline std::vector<NamedFile> files_of_tiles(long width, long height) {
  std::vector<NamedFile> files;
  const auto add = [&](const std::string& name, const std::string& bytes) { files.push_back({name, bytes}); };
  const std::vector<std::vector<long>> shapes{{width, 1}, {32, 32}, {width, 2}, {7, 3}, {100, 1}};
  for (const std::vector<long>& tile : shapes) {
    const std::string shape = " " + std::to_string(tile[0]) + " x " + std::to_string(tile[1]);
    add("uint8" + shape, compressed_sky<std::uint8_t>({.tile = tile}, width, height));
    add("int16" + shape, compressed_sky<std::int16_t>({.tile = tile}, width, height));
    add("int32" + shape, compressed_sky<std::int32_t>({.tile = tile}, width, height));
    for (int dither : {NO_DITHER, SUBTRACTIVE_DITHER_1, SUBTRACTIVE_DITHER_2})
      for (int seed : {1, 9990}) {
        const Compression how{.tile = tile, .quantize = 4, .dither = dither, .keywords = {{"ZDITHER0", double(seed)}}};
        const std::string name = " dither " + std::to_string(dither) + " from " + std::to_string(seed) + shape;
        add("float" + name, compressed_sky<float>(how, width, height));
        add("double" + name, compressed_sky<double>(how, width, height));
      }
  }
  const Compression scaled{.keywords = {{"BSCALE", 0.25}, {"BZERO", 32768}, {"BLANK", 120}}};
  add("int16 scaled, BLANK", compressed_sky<std::int16_t>(scaled, width, height));
  add("int32 scaled, BLANK", compressed_sky<std::int32_t>(scaled, width, height));
  add("uint8 scaled, BLANK", compressed_sky<std::uint8_t>(scaled, width, height));
  const Compression in_keywords{.keywords = {{"ZSCALE", 0.37}, {"ZZERO", 11.5}, {"ZBLANK", 120}}};
  add("floats of int16", with_card(compressed_sky<std::int16_t>(in_keywords, width, height), "ZBITPIX", "-32"));
  add("doubles of uint8", with_card(compressed_sky<std::uint8_t>(in_keywords, width, height), "ZBITPIX", "-64"));
  add("int32 of int16", with_card(compressed_sky<std::int16_t>({}, width, height), "ZBITPIX", "32"));
  add("int16 of int32", with_card(compressed_sky<std::int32_t>({}, width, height), "ZBITPIX", "16"));
  const Compression beyond{.keywords = {{"BSCALE", 1e37}, {"BZERO", 0.5}}};
  add("int32 beyond float", compressed_sky<std::int32_t>(beyond, width, height));
  return files;
}

}  // namespace srcextract::testing
