#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "stages/core/image.hpp"
#include "stages/core/runs.hpp"

namespace srcextract {

/// A value of padding, and the number of pixels that have it.
struct PaddingValue {
  float value = 0;
  std::int64_t pixels = 0;

  bool operator==(const PaddingValue&) const = default;
};

/// The smallest number of connected pixels of one value that are no chance, in an image whose values are so likely to
/// repeat. At most half the shorter side.
std::int64_t least_region(double repeat, const Shape& shape);

/// Largest share of other pixels that are followed by the value of padding. Beyond it the value is common inside.
constexpr double most_padding_rate = 1.0 / 8;

/// Connected pixels of given values that touch the edge of an image. Rows are added from the first to the last; only
/// the runs of those values are kept.
class PaddingRegions {
 public:
  /// `values`: values that may be padding. `sample`: some pixels of other values, at least one. `repeat`: how likely a
  /// pixel is to have the value of its neighbour, whatever that is.
  PaddingRegions(const Shape& shape, std::vector<float> values, std::vector<float> sample, double repeat);

  void add_row(const float* row);

  /// Regions that lie inside the image count too, if they have this value and at least 8 pixels in a row.
  void take_inside(float value) { inside_ = value; }

  /// Pixels of at least this level are saturated.
  void set_saturation(float level) { saturation_ = level; }

  /// Decides which regions are padding, after the last row. A region is padding if it touches the edge, masked pixels
  /// or other padding, and
  /// - its value is rare inside (most_padding_rate), and it is larger than chance makes it (least_region), also in an
  ///   image of blocks of equal pixels, as upsampling and lossy compression make it;
  /// - its edge is sharp: behind the pixel beside it, its value rarely comes again, as it does among few photons;
  /// - the pixels beside it are as far from its value as others are: light that fades into a flat sky is no border;
  /// - a value brighter than 99 % of the image has a whole side or a corner, and no light around it as a saturated star
  ///   has. From the level of saturation on, only a whole side counts;
  /// - if it is most of the image, the data in it are wide: sources on a flat sky are not.
  /// Returns its runs in raster order.
  std::vector<Run> decide();

  /// The values of the runs that decide() returned.
  const std::vector<PaddingValue>& found() const { return found_; }

 private:
  struct Piece {
    Run run;
    std::int32_t parent;
    std::int32_t kind;
    bool follows_data;
    std::int16_t behind = 0, again = 0;  ///< pixels behind those beside it, and how many of them have its value
  };
  struct Region {
    std::int64_t pixels = 0;
    std::array<std::int64_t, 4> along = {};  ///< pixels on the left, right, first and last side
    std::int32_t longest = 0;
    bool corner = false, taken = false, looked_at = false;

    bool touches_edge() const { return along[0] + along[1] + along[2] + along[3] > 0; }
  };
  /// Blocks of equal pixels, as upsampling and lossy compression make them.
  struct Blocks {
    std::int64_t side = 1;    ///< at most 1 % of the pixels are in longer runs
    double share = 0;         ///< of the pixels in blocks that have the value itself
    float low = 0, high = 0;  ///< most of the other values are between
  };
  /// A pixel of the data beside a piece: the second from it, as the first may be interpolated.
  struct Beside {
    std::int32_t piece;
    float value;
  };

  int masked() const { return static_cast<int>(values_.size()); }
  int kind_of(float value) const;
  void add_piece(const float* row, std::int64_t begin, std::int64_t end, int kind, bool beside_other);
  void join_above(std::int32_t piece);
  std::int32_t root_of(std::int32_t piece) const;
  std::vector<Region> regions() const;
  double rate_of(int kind) const;
  void add_run(float value, std::int64_t begin, std::int64_t end, int kind);
  Blocks blocks_beside(int kind) const;
  bool is_of_blocks(const Region& region, int kind) const;
  bool has_whole_side(const Region& region) const;
  bool may_be_padding(const Region& region, int kind) const;
  void take_regions(std::vector<Region>& all) const;
  std::vector<float> pixels_beside(int kind, const std::vector<Region>& all) const;
  double contrast_of(int kind, std::vector<float> near) const;
  bool is_star(int kind, std::vector<float> near) const;
  bool ban_one(const std::vector<Region>& all);

  static constexpr int data = -1;
  static constexpr std::size_t longest_run = 64;  ///< longer ones count as this

  Shape shape_;
  std::vector<float> values_, sample_;
  double repeat_;
  float bright_ = 0, above_sky_ = 0;
  float saturation_ = std::numeric_limits<float>::infinity();
  std::optional<float> inside_;
  std::int32_t y_ = 0;
  std::vector<std::int64_t> pixels_, starts_, pieces_of_;  ///< of each kind; the last kind are masked pixels
  std::vector<bool> banned_;
  std::int64_t data_pixels_ = 0;
  /// Of each kind, pixels by length of their run; the last kind are data.
  std::vector<std::array<std::int64_t, longest_run + 1>> in_runs_of_;
  std::int64_t whole_rows_ = 0;  ///< rows of data of one value, which is not that of the last such row
  float last_row_ = std::numeric_limits<float>::quiet_NaN(), last_long_ = last_row_;
  mutable std::vector<Piece> pieces_;
  std::vector<Beside> beside_;
  std::vector<std::array<std::int32_t, 2>> touching_;  ///< pairs of pieces of two kinds that touch
  std::size_t above_begin_ = 0, above_end_ = 0;        ///< pieces of the row before
  std::array<std::vector<float>, 2> above_;            ///< pixels of the row before, and of the row before that
  std::vector<Blocks> blocks_;                         ///< of each kind
  std::vector<PaddingValue> found_;
};

}  // namespace srcextract
