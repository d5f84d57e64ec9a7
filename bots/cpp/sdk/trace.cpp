#include "trace.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <vector>

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

// Prints function, file and line of addresses of a program; nothing when there is no addr2line, which g++ comes with.
void print_lines(const char* program, const std::vector<std::string>& offsets) {
  std::vector<char*> words;
  for (const char* word : {"addr2line", "-Cfipe", program}) words.push_back(const_cast<char*>(word));
  for (const auto& offset : offsets) words.push_back(const_cast<char*>(offset.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t to_stderr;
  posix_spawn_file_actions_init(&to_stderr);
  posix_spawn_file_actions_adddup2(&to_stderr, STDERR_FILENO, STDOUT_FILENO);
  pid_t child = 0;
  if (posix_spawnp(&child, words[0], &to_stderr, nullptr, words.data(), environ) == 0) waitpid(child, nullptr, 0);
}

// Runs on the stack of the throw, which is not unwound when there is no handler.
[[noreturn]] void terminate() {
  void* frames[kFrames];
  const int count = backtrace(frames, kFrames);
  Dl_info self{};
  dladdr(reinterpret_cast<void*>(&trace_exceptions), &self);
  std::vector<std::string> offsets;
  for (int number = 0; number < count; ++number) {
    Dl_info info{};
    if (!dladdr(frames[number], &info) || info.dli_fbase != self.dli_fbase) continue;  // of a library
    char offset[32];
    // A return address may belong to the line after the call: the byte before it does not.
    std::snprintf(offset, sizeof offset, "0x%tx",
                  static_cast<char*>(frames[number]) - 1 - static_cast<char*>(info.dli_fbase));
    offsets.emplace_back(offset);
  }
  print_lines(self.dli_fname, offsets);
  print_exception();  // last, where a cut log keeps it
  std::fflush(nullptr);
  std::_Exit(1);
}

}  // namespace

void trace_exceptions() { std::set_terminate(terminate); }

}  // namespace arena
