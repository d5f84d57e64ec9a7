// What a C++ bot needs of the arena: run(), and the types that it is given.
//
// stdout and stderr are free: both go into the bot's log.
#pragma once

#include <functional>
#include <random>
#include <string>

#include "arena/v1/arena.pb.h"

namespace arena {

using v1::GameOver;
using v1::Hello;
using v1::Request;
using Strings = google::protobuf::RepeatedPtrField<std::string>;

// A game that has been announced, from the bot's point of view.
struct Game {
  explicit Game(const v1::NewGame& message);

  // Returns one of these, drawn by the game's own generator; throws std::out_of_range when there is none.
  const std::string& choice(const Strings& actions);

  // Return an option, such as number("rounds") or text("mode"); throw std::out_of_range when there is none.
  double number(const std::string& option) const;
  const std::string& text(const std::string& option) const;

  std::string game_id;
  std::string game;  // which game, such as "no_thanks"
  unsigned seat;     // the bot's seat, from 0
  unsigned seats;    // number of bots at the table
  google::protobuf::Struct options;
  // The bot's own generator for this game alone, seeded by the referee: using it keeps results independent of how games
  // interleave.
  std::mt19937_64 rng;
};

// A bot. An exception that it throws ends the process with a trace; the referee rules a crash and starts it anew.
class Bot {
 public:
  virtual ~Bot() = default;
  // Returns the action for a request, usually one of request.legal_actions().
  virtual std::string decide(const Request& request, Game& game) = 0;
  // Takes notice of a game before its first request.
  virtual void new_game(Game&) {}
  // Takes notice of how a game ended.
  virtual void game_over(const GameOver&, const Game&) {}
};

using Decide = std::function<std::string(const Request&, Game&)>;

// Connects to the referee, plays until it says goodbye, and ends the process.
//
// The status is 0 after Goodbye; 1 with a trace on stderr when the bot throws, or with one line when the stream fails
// or the referee refuses the bot; 2 when the bot was not started by the arena. A Hello may give the bot's own name,
// version, games, wants_events and max_in_flight.
[[noreturn]] void run(Bot& bot, Hello hello = {});
[[noreturn]] void run(const Decide& decide, Hello hello = {});

}  // namespace arena
