#pragma once

#include <string>

namespace srcextract {

/// The texts of the files of the same names, which are part of the program. A page stands between head.html and
/// tail.html; its script is shared.js and its own.
const std::string& report_page();    // page.html
const std::string& report_style();   // report.css
const std::string& report_script();  // report.js
const std::string& survey_page();    // survey.html
const std::string& survey_script();  // survey.js

}  // namespace srcextract
