#pragma once

#include "config/fields/background.hpp"
#include "config/fields/clean.hpp"
#include "config/fields/combine.hpp"
#include "config/fields/convolve.hpp"
#include "config/fields/deblend.hpp"
#include "config/fields/detection.hpp"
#include "config/fields/difference.hpp"
#include "config/fields/flags.hpp"
#include "config/fields/input.hpp"
#include "config/fields/mask.hpp"
#include "config/fields/measurement.hpp"
#include "config/fields/output.hpp"
#include "config/fields/quicklook.hpp"
#include "config/fields/weights.hpp"

namespace srcextract {

/// The one declaration of the configuration's keys: calls f(Field, member) for each, section by section; every section
/// has a header of its own, and in it names_of, the words for its enumerations in the order of their enumerators. Both
/// are beside the structs and enumerations, and not in the namespace config, so that templates find them by these.
/// Parser, dump and error messages walk this, and schema.json and the table in docs/configuration.md are generated from
/// it: a new key is a member of its struct, a line in its section, and its entry in default.yaml, which the tests ask
/// for. A limit may depend on other members of `c`; limits are checked when every key has been read.
template <config::MaybeConst<Config> AnyConfig, class F>
void for_each_field(AnyConfig& c, F&& f) {
  config::for_each_input_field(c, f);
  config::for_each_combine_field(c, f);
  config::for_each_background_field(c, f);
  config::for_each_weights_field(c, f);
  config::for_each_mask_field(c, f);
  config::for_each_flags_field(c, f);
  config::for_each_convolve_field(c, f);
  config::for_each_detection_field(c, f);
  config::for_each_clean_field(c, f);
  config::for_each_deblend_field(c, f);
  config::for_each_measurement_field(c, f);
  config::for_each_difference_field(c, f);
  config::for_each_output_field(c, f);
  config::for_each_quicklook_field(c, f);
}

}  // namespace srcextract
