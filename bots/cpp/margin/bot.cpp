// Takes a card of No Thanks! when its points for this row less the tokens on it are at most a margin.
//
// The margin is 12 unless the command gives another number; a larger one takes sooner. The same bot is there in Python,
// where its docstring says what it wins; both answer alike.
#include <algorithm>
#include <cstdlib>
#include <string>

#include "arena.h"

namespace {

bool contains(const arena::v1::Numbers& row, int card) {
  return std::find(row.values().begin(), row.values().end(), card) != row.values().end();
}

// Returns what a card adds to the points of a row; runs count their lowest card alone.
int added_points(const arena::v1::Numbers& row, int card) {
  return (contains(row, card - 1) ? 0 : card) - (contains(row, card + 1) ? card + 1 : 0);
}

// Returns "take" for a card within the margin or without tokens, else "pass".
std::string choose(const arena::Request& request, int margin) {
  const auto& view = request.no_thanks();
  const auto& row = view.rows(static_cast<int>(view.seat()));
  const int cost = added_points(row, static_cast<int>(view.target())) - static_cast<int>(view.pot());
  const auto& legal = request.legal_actions();
  const bool may_pass = std::find(legal.begin(), legal.end(), "pass") != legal.end();
  return cost <= margin || !may_pass ? "take" : "pass";
}

}  // namespace

int main(int count, char** words) {
  const int margin = count > 1 ? std::atoi(words[1]) : 12;
  arena::Hello hello;
  hello.add_games("no_thanks");
  arena::run([margin](const arena::Request& request, arena::Game&) { return choose(request, margin); }, hello);
}
