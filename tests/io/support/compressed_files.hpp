#pragma once

#include <fitsio.h>

#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "io/fits/memory_fits.hpp"

namespace srcextract::testing {

/// How CFITSIO is to compress an image.
struct Compression {
  int method = RICE_1;
  std::vector<long> tile{};  ///< rows, unless said
  float quantize = 0;        ///< for floats; 0 = lossless
  int dither = NO_DITHER;
  std::vector<std::pair<std::string, double>> keywords{};  ///< written after the pixels, as integers where they are
};

/// Stands for a null pixel where floats are to be compressed.
inline constexpr float null_pixel = -12345;

/// A FITS file whose first extension holds the pixels, compressed by CFITSIO; `type` is its code of their type.
template <class T>
std::string compressed_file(const Compression& how, int bitpix, int type, std::vector<long> axes,
                            std::vector<T> pixels) {
  MemoryFits file;
  int status = 0;
  fits_set_compression_type(file.get(), how.method, &status);
  if (!how.tile.empty()) {
    fits_set_tile_dim(file.get(), static_cast<int>(how.tile.size()), const_cast<long*>(how.tile.data()), &status);
  }
  if (bitpix < 0) {
    fits_set_quantize_level(file.get(), how.quantize, &status);
    fits_set_quantize_method(file.get(), how.dither, &status);
    fits_set_dither_seed(file.get(), 7, &status);
  }
  fits_create_img(file.get(), bitpix, static_cast<int>(axes.size()), axes.data(), &status);
  std::vector<long> first(axes.size(), 1);
  if constexpr (std::is_floating_point_v<T>) {
    T null = null_pixel;
    fits_write_pixnull(file.get(), type, first.data(), std::ssize(pixels), pixels.data(), &null, &status);
  } else {
    fits_write_subset(file.get(), type, first.data(), axes.data(), pixels.data(), &status);
  }
  for (const auto& [keyword, value] : how.keywords) {
    constexpr double integers = 9e18;  // what is beyond has no LONGLONG
    if (std::abs(value) < integers && value == static_cast<double>(static_cast<LONGLONG>(value))) {
      fits_update_key_lng(file.get(), keyword.c_str(), static_cast<LONGLONG>(value), nullptr, &status);
    } else {
      fits_update_key_dbl(file.get(), keyword.c_str(), value, -15, nullptr, &status);
    }
  }
  fits_write_chksum(file.get(), &status);
  if (status) throw std::runtime_error("CFITSIO cannot compress: status " + std::to_string(status));
  const auto bytes = file.finish();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// The file with a card of the compressed image changed to another value.
inline std::string with_card(std::string bytes, const std::string& keyword, const std::string& value) {
  const std::size_t at = bytes.find(keyword, 2880);
  if (at == std::string::npos) throw std::invalid_argument("the file has no " + keyword);
  std::string card = keyword;
  card.resize(8, ' ');
  card += "= " + std::string(20 - value.size(), ' ') + value;
  card.resize(80, ' ');
  return bytes.replace(at, card.size(), card);
}

}  // namespace srcextract::testing
