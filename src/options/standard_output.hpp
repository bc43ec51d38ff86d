// Standard output of a program whose verdict stands there: what could not be written must not be taken for said.
#pragma once

#include <string_view>

namespace plumb {

// A closed standard stream is replaced by one that cannot be used, so that no file takes its place and writing to it stays an error;
// and a program whose reader went away ends in silence, even where a parent had SIGPIPE ignored.
void prepare_standard_streams();

void write_output(std::string_view text);

// Whether all that was written has arrived. Where not, it is said on standard error, once.
[[nodiscard]] bool output_has_arrived();

}  // namespace plumb
