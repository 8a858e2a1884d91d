#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sextractor/configuration.hpp"
#include "sextractor/parameters.hpp"

namespace srcextract::sextractor {

/// A user's request to SExtractor: a configuration and a list of columns.
struct Request {
  Configuration configuration;
  std::string path;                       ///< path of the configuration
  std::string parameters_path;            ///< path of the list of columns; empty: no list
  std::vector<Parameter> parameters;      ///< requested columns
  std::vector<UnknownName> unknown = {};  ///< requested columns that SExtractor does not have

  const Setting& operator[](std::string_view key) const { return configuration[key]; }
  /// Place of a setting (`file:line`) for messages; for a default, the path of the configuration.
  const std::string& place_of(const Setting& setting) const { return setting.is_set() ? setting.place : path; }
  bool wants(const std::string& column) const { return asks_for(parameters, column); }
};

/// Reads a configuration and a list of columns. The list is the file `parameters`, or if `parameters` is empty the file
/// that PARAMETERS_NAME names. Throws Error{config} as read_configuration() and read_parameters() do. If the file in
/// PARAMETERS_NAME does not exist, the request has no columns. If this file is not SExtractor's default.param, throws
/// Error{config} instead.
Request read_request(const std::string& configuration, const std::string& parameters);

/// Completes a configuration that was read from `path` to a request, as read_request() does.
Request make_request(Configuration configuration, const std::string& path, const std::string& parameters = "",
                     const OnMistake& on_mistake = refuse_mistake);

/// A key of srcextract's configuration with its value as YAML, and the origin of the value.
struct Entry {
  std::string section, key, value;
  std::vector<std::string> origins;  ///< SExtractor settings that the value comes from, such as `DETECT_THRESH 1.5`
  std::string note = {};             ///< remark; empty: none
  std::string place = {};  ///< place of the first origin (`file:line`); empty if that is a default of SExtractor
};

/// A setting or column of SExtractor that the translation does not take over.
struct Unmet {
  std::string what;    ///< text of the setting or column, such as `PHOT_AUTOAPERS 10,20`
  std::string place;   ///< `file:line` of the setting or column
  std::string reason;  ///< reason, possibly with an alternative
  bool counts;         ///< true: an output differs from SExtractor's for this reason; false: no effect on outputs
  /// Settings `section.key=value` of srcextract that would have the effect of the unmet setting if applied to the
  /// detection image only. Empty if there are none.
  std::vector<std::string> for_detection = {};
};

/// Groups those Unmet whose `counts` equals the argument by reason. The `what` of a group lists all members; its
/// `place` is that of the first member.
std::vector<Unmet> by_reason(const std::vector<Unmet>& unmet, bool counts);

/// A request to SExtractor, translated into entries of srcextract's configuration.
class Translation {
 public:
  std::vector<Entry> entries;
  std::vector<Unmet> unmet;
  std::vector<std::string> columns;  ///< srcextract's names of those requested columns that srcextract has

  /// Adds an entry for the key `path` (`section.key`). `from` lists the settings of SExtractor that the value comes
  /// from.
  void put(const std::string& path, const std::string& value, const std::vector<const Setting*>& from,
           const std::string& note = "");
  /// Records a setting that is wholly or partly lost.
  void lose(const Setting& setting, const std::string& reason);
  /// Records a setting with different values for detection image and measured image, of which only the second is kept.
  /// The user can give `settings` with the option --detect-set instead. `what` begins with "with" and names the kind of
  /// setting in the message.
  void lose_detection(const Setting& setting, const std::string& what, const std::vector<std::string>& settings);
  void lose(const Parameter& parameter, const std::string& reason);
  /// Records settings without effect on outputs, and the reason. Ignores settings that the user did not make.
  void pass_over(const std::vector<const Setting*>& settings, const std::string& reason);
};

/// Translates a request into entries of srcextract's configuration. Records everything without an equivalent in
/// `unmet`. Throws Error{config} that begins with the place of a setting if the setting names a file that cannot be
/// read. Throws Error{config} if srcextract has none of the requested columns.
Translation translate(const Request& request);

/// The word of output.check_images for a CHECKIMAGE_TYPE; empty if srcextract has no such check image.
std::string our_check_image(const std::string& type);

// The parts of translate(). Each translates the settings for some sections of srcextract's configuration.
void translate_sky(const Request& request, Translation& to);
void translate_weights(const Request& request, Translation& to);
void translate_detection(const Request& request, Translation& to);
void translate_measurement(const Request& request, Translation& to);
void translate_output(const Request& request, Translation& to);

/// Sets `zero_point` to the zero point of magnitude columns and returns the setting that gives the zero point. The
/// setting is MAG_ZEROPOINT, except in one case: DETECT_THRESH is a surface brightness with a zero point, MAG_ZEROPOINT
/// is 0, and no column MAG_* or MU_* is requested. The setting is then DETECT_THRESH.
const Setting& zero_point_of(const Request& request, double& zero_point);

}  // namespace srcextract::sextractor
