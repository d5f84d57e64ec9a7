// Any legal action, drawn by the game's own generator: a complete bot for every game.
#include "arena.h"

int main() {
  arena::run([](const arena::Request& request, arena::Game& game) { return game.choice(request.legal_actions()); });
}
