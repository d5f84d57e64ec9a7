#include "trace.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <execinfo.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>

namespace arena {
namespace {

constexpr int kFrames = 64;

std::string demangled(const char* name) {
  int status = 0;
  std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name, nullptr, nullptr, &status), &std::free);
  return status == 0 ? text.get() : name;
}

// Prints what is being thrown: its type and words.
void print_exception() {
  const std::type_info* type = abi::__cxa_current_exception_type();
  std::fprintf(stderr, "the bot threw %s", type ? demangled(type->name()).c_str() : "nothing: std::terminate");
  try {
    if (type) throw;
  } catch (const std::exception& error) {
    std::fprintf(stderr, ": %s", error.what());
  } catch (...) {  // of no type that has words
  }
  std::fprintf(stderr, "\n");
}

// Runs on the stack of the throw, which is not unwound when there is no handler.
[[noreturn]] void terminate() {
  void* frames[kFrames];
  const int count = backtrace(frames, kFrames);
  print_exception();
  for (int number = 0; number < count; ++number) {
    Dl_info info{};
    if (!dladdr(frames[number], &info)) continue;
    const auto offset = static_cast<char*>(frames[number]) - static_cast<char*>(info.dli_fbase);
    std::fprintf(stderr, "  %s+0x%tx %s\n", info.dli_fname, offset,
                 info.dli_sname ? demangled(info.dli_sname).c_str() : "");
  }
  std::fflush(nullptr);
  std::_Exit(1);
}

}  // namespace

void trace_exceptions() { std::set_terminate(terminate); }

}  // namespace arena
