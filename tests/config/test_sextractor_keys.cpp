#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/config/parse_support.hpp"

namespace srcextract {
namespace {

using testing::message;
using testing::Wrong;

using ::testing::StartsWith;

TEST(SextractorKeys, AreAnsweredWithOurs) {
  const Wrong cases[] = {
      {"DETECT_THRESH: 1.5\n",
       "x.yaml:1:1: unknown section 'DETECT_THRESH'; 'DETECT_THRESH' is a key of SExtractor's; here it is "
       "detection.threshold"},
      {"detection:\n  DETECT_MINAREA: 5\n",
       "x.yaml:2:3: unknown key 'DETECT_MINAREA' in 'detection'; 'DETECT_MINAREA' is a key of SExtractor's; here it is "
       "detection.min_area"},
      {"GAIN: 2\n", "x.yaml:1:1: unknown section 'GAIN'; 'GAIN' is a key of SExtractor's; here it is measurement.gain"},
      {"DETECT_TYPE: CCD\n",
       "x.yaml:1:1: unknown section 'DETECT_TYPE'; 'DETECT_TYPE' is a key of SExtractor's, for which there is "
       "none"},
      {"measurement: {GAIM: 2}\n", "x.yaml:1:15: unknown key 'GAIM' in 'measurement'; did you mean 'gain'?"},
  };
  for (const Wrong& wrong : cases) EXPECT_THAT(message(wrong.yaml), StartsWith(wrong.message)) << wrong.yaml;
}

}  // namespace
}  // namespace srcextract
