#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "survey/inputs/image_file.hpp"

namespace srcextract {

/// The configuration with its text and hash; a kernel, or a network, that is in a file has been read. Throws
/// Error{config}, which begins with the place of the key that names it, if it cannot be.
std::shared_ptr<const ImageConfig> make_image_config(const GivenConfig& given);

/// A configuration and its variations, each made once however many images ask for it.
class ConfigVariants {
 public:
  explicit ConfigVariants(const GivenConfig& given);

  /// `settings` are `dotted.key=value`, as of override_given; its Error{config} if one is wrong. Without any, or where
  /// they change nothing, it is the configuration itself.
  std::shared_ptr<const ImageConfig> with(const std::vector<std::string>& settings);

  /// The same of another image that goes with one of these settings, and has some of its own beside them. Errors of
  /// these begin with `option` (Overrides).
  std::shared_ptr<const ImageConfig> with_own(const std::vector<std::string>& settings,
                                              const std::vector<std::string>& own, const std::string& option);

 private:
  GivenConfig given_;
  std::shared_ptr<const ImageConfig> config_;
  std::map<std::vector<std::string>, std::shared_ptr<const ImageConfig>> by_settings_;
  std::map<std::string, std::shared_ptr<const ImageConfig>> by_yaml_;  ///< 4.5 and 4.50 are the same
};

}  // namespace srcextract
