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
    const bool is_named = dladdr(frames[number], &info) && info.dli_sname;
    std::fprintf(stderr, "  %p %s\n", frames[number], is_named ? demangled(info.dli_sname).c_str() : "?");
  }
  std::fflush(nullptr);
  std::_Exit(1);
}

}  // namespace

void trace_exceptions() { std::set_terminate(terminate); }

}  // namespace arena
