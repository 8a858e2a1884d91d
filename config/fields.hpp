#pragma once

#include "config/fields/background.hpp"
#include "config/fields/combine.hpp"
#include "config/fields/convolve.hpp"
#include "config/fields/deblend.hpp"
#include "config/fields/detection.hpp"
#include "config/fields/difference.hpp"
#include "config/fields/flags.hpp"
#include "config/fields/input.hpp"
#include "config/fields/mask.hpp"
#include "config/fields/measurement.hpp"
#include "config/fields/morphology.hpp"
#include "config/fields/output.hpp"
#include "config/fields/quicklook.hpp"
#include "config/fields/weights.hpp"

namespace srcextract {

/// The only declaration of the configuration's keys: calls f(Field, member) for each, section by section. Every section
/// has its own header with its fields and names_of, the words for its enumerations in the order of their enumerators.
/// Both are in the namespace of the structs and enumerations, not in config, so that templates find them by
/// argument-dependent lookup. Parser, dump and error messages use this declaration; schema.json and the table in
/// docs/configuration.md are generated from it. A new key needs a member in its struct, a line in its section, and an
/// entry in default.yaml, which the tests check. A limit may depend on other members of `c`; limits are checked after
/// every key has been read.
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
  config::for_each_morphology_field(c, f);
  config::for_each_deblend_field(c, f);
  config::for_each_measurement_field(c, f);
  config::for_each_difference_field(c, f);
  config::for_each_output_field(c, f);
  config::for_each_quicklook_field(c, f);
}

}  // namespace srcextract
