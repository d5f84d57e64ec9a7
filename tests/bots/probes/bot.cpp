// Answers "spin" after 5 ms of work; any other action is a file that it waits for without giving way to anything.
#include <chrono>
#include <filesystem>
#include <thread>

#include "arena.h"

int main() {
  using namespace std::chrono;
  arena::run([](const arena::Request& request, arena::Game&) -> std::string {
    const auto began = steady_clock::now();
    if (request.legal_actions(0) == "spin") {
      while (steady_clock::now() - began < milliseconds(5)) {
      }
      return "spun";
    }
    while (steady_clock::now() - began < seconds(20)) {
      if (std::filesystem::exists(request.legal_actions(0))) return "found";
      std::this_thread::sleep_for(milliseconds(5));
    }
    return "missed";
  });
}
