// The bot's end of the stream: lists of requests in, lists of answers out.
//
// Answers are sent when the list at hand is done, or when 1 ms has passed since the last sending or receipt: an answer
// that waits behind a slow decision would be charged for it. Every sending waits until the bytes are in the socket.
#include "arena.h"

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <utility>

#include "arena/v1/arena.grpc.pb.h"
#include "trace.h"

namespace arena {
namespace {

using Clock = std::chrono::steady_clock;
using Stream = grpc::ClientReaderWriter<v1::PlayRequest, v1::PlayResponse>;

constexpr unsigned kProtocol = 1;
constexpr unsigned kMaxInFlight = 64;
constexpr auto kFlush = std::chrono::milliseconds(1);
constexpr auto kRedialAfter = std::chrono::milliseconds(100);  // lets the referee notice a broken stream first
constexpr int kReceiveBytes = 64 << 20;
constexpr std::size_t kSendBytes = 60 << 10;  // of the 64 KiB that the referee takes; the rest is for tags

[[noreturn]] void leave(int status, const std::string& words = "") {
  if (!words.empty()) std::cerr << words << std::endl;
  std::cout.flush();
  std::fflush(nullptr);
  std::_Exit(status);  // at once: gRPC's own threads need no farewell
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// The bot with the games it is in.
class Player {
 public:
  explicit Player(Bot& bot) : bot_(bot) {}

  bool welcomed() const { return welcomed_; }

  // Takes notice of ended games, begun games and notices, in this order.
  void hear(const v1::PlayResponse& response) {
    welcomed_ = welcomed_ || response.has_welcome();
    for (const auto& over : response.game_overs()) {
      if (auto node = games_.extract(over.game_id())) bot_.game_over(over, node.mapped());
    }
    for (const auto& announced : response.new_games()) {
      // After a redial open games are announced again: the bot keeps what it knows of them.
      const auto [place, is_new] = games_.try_emplace(announced.game_id(), announced);
      if (is_new) bot_.new_game(place->second);
    }
    for (const auto& notice : response.notices()) {
      std::cerr << "notice: game " << notice.game_id() << ", decision " << notice.decision() << ": " << notice.words()
                << std::endl;
    }
  }

  v1::Answer answer(const Request& request) {
    const auto place = games_.find(request.game_id());
    if (place == games_.end()) throw std::runtime_error("a request of a game that was never announced");
    v1::Answer answer;
    answer.set_action(bot_.decide(request, place->second));
    answer.set_game_id(request.game_id());
    answer.set_decision(request.decision());
    return answer;
  }

 private:
  Bot& bot_;
  std::map<std::string, Game> games_;
  bool welcomed_ = false;
};

// Answers that are not sent yet.
class Outbox {
 public:
  explicit Outbox(Stream& stream) : stream_(stream) {}

  void add(v1::Answer answer) {
    const std::size_t bytes = answer.ByteSizeLong() + 8;
    if (bytes_ + bytes > kSendBytes && bytes_ > 0) flush();
    bytes_ += bytes;
    *message_.add_answers() = std::move(answer);
  }

  // Returns when the bytes are in the socket; that the stream is broken is seen, and said, at the next reading.
  void flush() {
    stream_.Write(message_, grpc::WriteOptions().set_write_through());
    message_.Clear();
    bytes_ = 0;
  }

 private:
  Stream& stream_;
  v1::PlayRequest message_;
  std::size_t bytes_ = 0;
};

// Decides every request of a list and sends the answers by the flush rule.
void answer(Player& player, Stream& stream, const v1::PlayResponse& response) {
  Outbox outbox(stream);
  auto last = Clock::now();
  int waiting = response.requests_size();
  for (const auto& request : response.requests()) {
    outbox.add(player.answer(request));
    if (--waiting == 0 || Clock::now() - last > kFlush) {
      outbox.flush();
      last = Clock::now();
    }
  }
}

// TLS if ARENA_CERTIFICATE names the file of what to trust.
std::shared_ptr<grpc::ChannelCredentials> trust() {
  const std::string file = variable("ARENA_CERTIFICATE");
  if (file.empty()) return grpc::InsecureChannelCredentials();
  std::ostringstream roots;
  if (!(roots << std::ifstream(file).rdbuf())) leave(2, "ARENA_CERTIFICATE = " + file + ": cannot be read");
  return grpc::SslCredentials({roots.str(), "", ""});
}

std::shared_ptr<grpc::Channel> dial(const std::string& address) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(kReceiveBytes);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);  // a redial is a connection of its own
  return grpc::CreateCustomChannel(address, trust(), arguments);
}

// Plays one stream; returns nothing after Goodbye, else how it broke.
std::optional<std::string> converse(Player& player, const std::string& address, const Hello& hello) {
  const auto stub = v1::ArenaService::NewStub(dial(address));
  grpc::ClientContext context;
  context.AddMetadata("authorization", "Bearer " + variable("ARENA_TOKEN"));
  const auto stream = stub->Play(&context);
  v1::PlayRequest first;
  *first.mutable_hello() = hello;
  stream->Write(first);
  v1::PlayResponse response;
  while (stream->Read(&response)) {
    if (response.has_refusal()) leave(1, "the referee refused this bot: " + response.refusal().words());
    player.hear(response);
    answer(player, *stream, response);
    if (response.has_goodbye()) return std::nullopt;
  }
  const grpc::Status status = stream->Finish();
  if (status.ok()) return "the referee closed the stream without a goodbye";
  return "the stream to the referee failed: status " + std::to_string(status.error_code()) + ": " +
         status.error_message();
}

class Function : public Bot {
 public:
  explicit Function(const Decide& decide) : decide_(decide) {}
  std::string decide(const Request& request, Game& game) override { return decide_(request, game); }

 private:
  const Decide& decide_;
};

}  // namespace

Game::Game(const v1::NewGame& message)
    : game_id(message.game_id()),
      game(message.game()),
      seat(message.seat()),
      seats(message.seats()),
      options(message.options()),
      rng(message.bot_seed()) {}

const std::string& Game::choice(const Strings& actions) {
  if (actions.empty()) throw std::out_of_range("there is no action to choose from");
  return actions[static_cast<int>(rng() % actions.size())];
}

double Game::number(const std::string& option) const { return options.fields().at(option).number_value(); }

const std::string& Game::text(const std::string& option) const { return options.fields().at(option).string_value(); }

void run(Bot& bot, Hello hello) {
  trace_exceptions();
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const std::string address = variable("ARENA_ADDRESS");
  if (address.empty()) {
    leave(2, "ARENA_ADDRESS is not set: a bot is started by the arena, for instance 'arena play no_thanks ...'");
  }
  hello.set_protocol(kProtocol);
  hello.set_sdk("arena-cpp 1");
  if (hello.max_in_flight() == 0) hello.set_max_in_flight(kMaxInFlight);
  Player player(bot);
  auto broken = converse(player, address, hello);
  if (broken && player.welcomed()) {
    std::cerr << *broken << "; dialing again" << std::endl;
    std::this_thread::sleep_for(kRedialAfter);
    broken = converse(player, address, hello);
  }
  leave(broken ? 1 : 0, broken.value_or(""));
}

void run(const Decide& decide, Hello hello) {
  Function bot(decide);
  run(bot, std::move(hello));
}

}  // namespace arena
