// Does what the first legal action says; see tests/bots/conversation.py. "wait FILE" waits until there is that file.
#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <thread>

#include "arena.h"

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

std::string waited(const std::string& file) {
  const auto began = steady_clock::now();
  while (!std::filesystem::exists(file) && steady_clock::now() - began < seconds(20)) {
    std::this_thread::sleep_for(milliseconds(5));
  }
  return std::filesystem::exists(file) ? "true" : "false";
}

std::string decide(const arena::Request& request, arena::Game& game) {
  const std::string& deed = request.legal_actions(0);
  if (deed == "slow") {
    for (const auto began = steady_clock::now(); steady_clock::now() - began < milliseconds(20);) {
    }
    return deed;
  }
  if (deed == "long") return std::string(2000, 'x');
  if (deed == "draw") return std::to_string(game.rng() >> 34);
  if (deed.rfind("wait ", 0) == 0) return waited(deed.substr(5));
  throw std::runtime_error("thrown as told");
}

}  // namespace

int main() {
  arena::Hello hello;
  hello.add_games("no_thanks");
  arena::run(decide, hello);
}
