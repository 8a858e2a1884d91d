#pragma once

#include <string>

namespace srcextract {

/// Texts of the files named at each line, compiled into the program. A page is written between head.html and tail.html;
/// its script is shared.js followed by the page's own script.
const std::string& report_page();    // page.html
const std::string& report_style();   // report.css
const std::string& report_script();  // report.js
const std::string& survey_page();    // survey.html
const std::string& survey_script();  // survey.js

}  // namespace srcextract
