#include "tests/truth/oracle/deblend.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace srcextract::oracle {
namespace {

/// A connected part of the set over one of the levels.
struct Node {
  Component part;
  int parent = -1;                          ///< among the nodes of the level below
  std::vector<int> sons;                    ///< among those of the level above
  std::vector<std::pair<int, int>> ending;  ///< where its ancestors and itself end, from the first level on
  float flux = 0;
  bool alone = true;  ///< no two significant parts stand apart over it
};

struct Level {
  float threshold = 0;
  std::vector<Node> nodes;
};

float flux_of(const std::vector<Pixel>& pixels) {
  double sum = 0;
  for (const Pixel& pixel : pixels) sum += pixel.filtered;
  return static_cast<float>(sum);
}

float level_of(float threshold, float peak, int level, int levels) {
  if (peak <= 0) return threshold;
  return static_cast<float>(threshold *
                            std::pow(static_cast<double>(peak) / threshold, static_cast<double>(level) / levels));
}

/// Which node of the level so far a pixel is of, in the box of the set.
class Owners {
 public:
  explicit Owners(const std::vector<Pixel>& raster) : top_(raster.front().y) {
    const auto [left, right] =
        std::minmax_element(raster.begin(), raster.end(), [](const Pixel& a, const Pixel& b) { return a.x < b.x; });
    left_ = left->x;
    width_ = right->x - left_ + 1;
    owners_.resize(static_cast<std::size_t>(width_) * (raster.back().y - top_ + 1));
  }
  int& operator()(const Pixel& pixel) {
    return owners_[static_cast<std::size_t>(pixel.y - top_) * width_ + (pixel.x - left_)];
  }

 private:
  int top_, left_ = 0, width_ = 0;
  std::vector<int> owners_;
};

std::vector<Level> grow_tree(const Component& component, float threshold, const Settings& settings) {
  std::vector<Pixel> raster = component.pixels;
  std::sort(raster.begin(), raster.end(),
            [](const Pixel& a, const Pixel& b) { return std::pair(a.y, a.x) < std::pair(b.y, b.x); });
  float peak = raster.front().filtered;
  for (const Pixel& pixel : raster) peak = std::max(peak, pixel.filtered);
  const auto least_area = static_cast<std::size_t>(std::min(settings.detect_minarea, 3));

  std::vector<Level> levels(1);
  levels[0].threshold = threshold;
  levels[0].nodes.push_back({component, -1, {}, {}, flux_of(component.pixels), true});
  Owners owners(raster);
  for (int k = 1; k < settings.deblend_nthresh; ++k) {
    Level level;
    level.threshold = level_of(threshold, peak, k, settings.deblend_nthresh);
    std::erase_if(raster, [&](const Pixel& pixel) { return !(pixel.filtered > level.threshold); });
    for (Component& part : connect(raster)) {
      if (part.pixels.size() < least_area) continue;
      Node node;
      node.parent = owners(part.pixels.front());
      Node& parent = levels.back().nodes[static_cast<std::size_t>(node.parent)];
      parent.sons.push_back(static_cast<int>(level.nodes.size()));
      node.ending = parent.ending;
      node.ending.emplace_back(part.last_row, part.last_column);
      node.flux = flux_of(part.pixels);
      for (const Pixel& pixel : part.pixels) owners(pixel) = static_cast<int>(level.nodes.size());
      node.part = std::move(part);
      level.nodes.push_back(std::move(node));
    }
    levels.push_back(std::move(level));
  }
  return levels;
}

}  // namespace

std::vector<Core> find_cores(const Component& component, float threshold, const Settings& settings) {
  std::vector<Level> levels = grow_tree(component, threshold, settings);
  const double least = levels[0].nodes[0].flux * settings.deblend_mincont;
  std::vector<Core> cores;
  for (std::size_t k = levels.size() - 1; k-- > 0;) {
    Level& above = levels[k + 1];
    const auto significant = [&](const Node& node) {
      const auto pedestal = static_cast<float>(static_cast<double>(above.threshold) * node.part.pixels.size());
      return static_cast<float>(node.flux - pedestal) > least;
    };
    std::vector<Node*> found;
    for (Node& node : levels[k].nodes) {
      int branches = 0;
      for (const int i : node.sons) {
        const Node& son = above.nodes[static_cast<std::size_t>(i)];
        node.alone = node.alone && son.alone;
        branches += significant(son);
      }
      if (branches < 2) continue;
      node.alone = false;
      for (const int i : node.sons) {
        Node& son = above.nodes[static_cast<std::size_t>(i)];
        if (son.alone && significant(son)) found.push_back(&son);
      }
    }
    std::sort(found.begin(), found.end(), [](const Node* a, const Node* b) { return a->ending < b->ending; });
    for (Node* node : found) cores.push_back({std::move(node->part.pixels), above.threshold});
  }
  return cores;
}

}  // namespace srcextract::oracle
