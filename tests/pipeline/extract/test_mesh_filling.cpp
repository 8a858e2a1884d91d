#include "pipeline/extract/mesh_filling.hpp"

#include <gtest/gtest.h>

#include "tests/support/usual_sources.hpp"

namespace srcextract {
namespace {

/// A source that fills a share of its box, which is 1-based and inclusive.
void add_source(Sources& sources, std::int32_t xmin, std::int32_t xmax, std::int32_t ymin, std::int32_t ymax,
                std::int64_t pixels) {
  sources[columns::number].push_back(static_cast<std::int32_t>(sources.size()) + 1);
  sources[columns::xmin_image].push_back(xmin);
  sources[columns::xmax_image].push_back(xmax);
  sources[columns::ymin_image].push_back(ymin);
  sources[columns::ymax_image].push_back(ymax);
  sources[columns::npix].push_back(pixels);
}

TEST(MeshFilling, SharesASourceAmongTheMeshesThatItsBoxReaches) {
  Sources sources = testing::usual_sources();
  add_source(sources, 1, 4, 1, 4, 8);      // half of 4 x 4 pixels of the first mesh
  add_source(sources, 7, 16, 3, 12, 100);  // whole: 2 x 6, 8 x 6, 2 x 4 and 8 x 4 pixels of four meshes of 8 x 8
  add_source(sources, 17, 17, 1, 16, 16);  // all of a column that the edge leaves of two meshes
  const MeshFilling filling = fill_meshes(sources, {17, 16}, {8, 8});
  EXPECT_EQ(filling.largest, 2);
  EXPECT_EQ(filling.largest_pixels, 100);
  EXPECT_EQ(filling.filled, 1);  // 48 of 64; the others have 20, 8 and 32
  EXPECT_DOUBLE_EQ(filling.most, 0.75);
  EXPECT_EQ(filling.x, 12);
  EXPECT_EQ(filling.y, 4);
}

TEST(MeshFilling, IsNothingWhereThereIsNothing) {
  const MeshFilling filling = fill_meshes(testing::usual_sources(), {100, 50}, {64, 64});
  EXPECT_EQ(filling.largest_pixels, 0);
  EXPECT_EQ(filling.filled, 0);
  EXPECT_EQ(filling.most, 0);
}

}  // namespace
}  // namespace srcextract
