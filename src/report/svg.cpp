#include "report/document.hpp"
namespace plumb { std::string render_svg(const Document&) { return ""; } std::string render_html(const Document&) { return ""; } }
