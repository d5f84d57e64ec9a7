#pragma once

namespace arena {

// Makes an exception that nobody catches end the process with status 1, after its words and a trace on stderr.
void trace_exceptions();

}  // namespace arena
