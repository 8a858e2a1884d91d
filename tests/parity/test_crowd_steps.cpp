// The steps of a crowd on a device, one by one: the first that differs from the host names the place to look at.

#include "tests/support/backends.hpp"

#if SRCEXTRACT_HAVE_CUDA
#include "cuda/crowd/device_equations.hpp"
#include "cuda/crowd/device_finder.hpp"
#include "stages/crowd/crowd_equations.hpp"
#include "stages/crowd/fit_crowd.hpp"
#include "stages/crowd/star_rules.hpp"
#include "tests/support/crowd_scene.hpp"
#include "tests/support/same_bytes.hpp"

namespace srcextract {
namespace {

using testing::Backend;
using testing::CrowdScene;
using testing::same_bytes;

template <class T>
std::vector<T> brought(const T* there, std::size_t count, const Gpu& where) {
  std::vector<T> here(count);
  copy_to_host(here.data(), there, static_cast<std::int64_t>(count), where);
  return here;
}

using CrowdSteps = testing::StageTest<Gpu>;

TEST_F(CrowdSteps, AreThoseOfTheHost) {
  const CrowdScene scene(41, 60);
  const std::vector<double> numbers = testing::crowd_psf_numbers(81, 0.5, {CrowdScene::star()});
  const CrowdPsf psf = psf_of(PsfModel(numbers.data()), {CrowdScene::width, CrowdScene::height});
  CrowdImage image = scene.image();
  image.gain = 2;
  CrowdField host(image, 50, Cpu{1});
  const Buffer<float, Gpu> pixels = backend().put(scene.pixels);
  image.pixels = pixels.data();
  const Gpu& where = this->where();
  const DevicePsf device_psf(psf, where);
  DeviceField device(image, 50, where);
  std::vector<CrowdStar> stars(scene.stars.begin(), scene.stars.begin() + 30);
  DeviceList<CrowdStar> there;
  there.grow(std::ssize(stars), where);
  copy_to_device(there.data(), stars.data(), there.count, where);

  host.draw(psf, stars, 0);
  device.draw(device_psf, there, 0);
  for (std::size_t i = 0; i < stars.size(); ++i) {
    const CrowdStamp& one = host.stamps()[i];
    const CrowdStamp other = brought(device.stamps() + i, 1, where).front();
    ASSERT_EQ(one.half, other.half);
    ASSERT_EQ(one.x, other.x);
    const auto of = brought(other.numbers, static_cast<std::size_t>(3 * other.plane()), where);
    for (int p = 0; p < 3; ++p)
      for (int y = 0; y < one.side(); ++y)
        for (int x = 0; x < one.side(); ++x)
          ASSERT_EQ(one.numbers[p * one.plane() + one.place(x, y)],
                    of[static_cast<std::size_t>(p * other.plane() + other.place(x, y))])
              << "star " << i << " plane " << p << " " << x << " " << y;
  }
  host.render(stars);
  device.render(there, true);
  const auto count = static_cast<std::size_t>(image.shape.count());
  EXPECT_TRUE(same_bytes(host.model, brought<float>(device.view().model, count, where)));
  EXPECT_TRUE(same_bytes(host.weight, brought<float>(device.view().weight, count, where)));
  EXPECT_TRUE(same_bytes(host.residual, brought<float>(device.view().residual, count, where)));
  host.measure_noise();
  device.measure_noise();
  EXPECT_EQ(host.sigma(), device.sigma());
  host.soften();
  device.soften();
  EXPECT_TRUE(same_bytes(host.weight, brought<float>(device.view().weight, count, where)));

  const CrowdEquations equations = make_equations(host, stars);
  DeviceEquations of_device;
  of_device.make(device, there);
  const EquationsView& view = of_device.view();
  EXPECT_TRUE(same_bytes(equations.row, brought(view.row, equations.row.size(), where)));
  EXPECT_TRUE(same_bytes(equations.partner, brought(view.partner, equations.partner.size(), where)));
  const std::vector<double> blocks(equations.block.begin(), equations.block.end());
  EXPECT_TRUE(same_bytes(blocks, brought(view.block, blocks.size(), where)));
  EXPECT_TRUE(same_bytes(equations.node_row, brought(view.node_row, equations.node_row.size(), where)));
  EXPECT_TRUE(same_bytes(equations.node, brought(view.node, equations.node.size(), where)));
  EXPECT_TRUE(same_bytes(equations.of_node, brought(view.of_node, equations.of_node.size(), where)));
  EXPECT_TRUE(same_bytes(equations.star_row, brought(view.star_row, equations.star_row.size(), where)));
  EXPECT_TRUE(same_bytes(equations.star, brought(view.star, equations.star.size(), where)));
  EXPECT_TRUE(same_bytes(equations.entry, brought(view.entry, equations.entry.size(), where)));
  EXPECT_TRUE(same_bytes(equations.sky, brought(view.sky, equations.sky.size(), where)));
  EXPECT_TRUE(same_bytes(equations.sky_columns, brought(view.sky_columns, equations.sky_columns.size(), where)));
  std::vector<double> prior(static_cast<std::size_t>(equations.size()), 0.0);
  for (std::size_t i = 0; i < stars.size(); ++i) prior[3 * i + 1] = prior[3 * i + 2] = held_step(stars[i].flux);
  const CrowdSolution solution = solve_equations(equations, prior, CrowdFree::all, 0.003, 400, Cpu{1});
  EXPECT_GT(solution.rounds, 5);
  EXPECT_EQ(solution.rounds, of_device.solve(there, CrowdFree::all, 0.003, 400, where));
  EXPECT_TRUE(same_bytes(solution.z, brought(of_device.z(), solution.z.size(), where)));

  const DeviceFinder finder(device_psf, image.shape, where);
  const std::vector<CrowdStar> found = find_stars(host, psf, stars, {}, 3).stars;
  finder.find(device, {}, psf.fwhm(), 3, there, where);
  ASSERT_GT(found.size(), 5U);
  ASSERT_EQ(std::ssize(stars) + std::ssize(found), there.count);
  const auto new_ones = brought(there.data() + stars.size(), found.size(), where);
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].x, new_ones[i].x) << i;
    EXPECT_EQ(found[i].y, new_ones[i].y) << i;
    EXPECT_EQ(found[i].flux, new_ones[i].flux) << i;
  }
}

}  // namespace
}  // namespace srcextract
#endif
