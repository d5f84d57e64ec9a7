# frozen_string_literal: true

# The bot's end of the stream: lists of requests in, lists of answers out. Written from proto/README.md alone.
#
#     require_relative "arena/arena"
#     Arena.run { |request, game| request.legal_actions.to_a.sample(random: game.rng) }
#
# What a bot prints goes into its log. An exception that nobody catches ends the process with a trace, which the referee
# rules a crash.

$LOAD_PATH.unshift(__dir__)
require "grpc"
require "arena/v1/arena_pb"

module Arena
  PROTOCOL = 1
  FLUSH_S = 0.001
  REDIAL_S = 0.1
  LONGEST_RECEIVED = 64 << 20
  LONGEST_SENT = 60_000 # the referee takes 64 KiB; some of it is framing
  MAY_RETURN = [GRPC::Core::StatusCodes::UNAVAILABLE, GRPC::Core::StatusCodes::CANCELLED,
                GRPC::Core::StatusCodes::UNKNOWN].freeze

  # A game that has been announced; rng is the bot's own generator for this game alone.
  Game = Struct.new(:id, :name, :seat, :seats, :options, :rng)

  # Plays until the referee says goodbye, and ends the process. The block returns the action for (request, game).
  def self.run(**hello, &decide)
    $stdout.sync = true
    unless (address = ENV["ARENA_ADDRESS"])
      warn("ARENA_ADDRESS is not set: a bot is started by the arena, for instance 'arena play no_thanks ...'")
      exit(2)
    end
    player = Player.new(Arena::V1::Hello.new(protocol: PROTOCOL, sdk: "arena-ruby 1", max_in_flight: 64, **hello), decide)
    begin
      player.converse(address)
    rescue GRPC::BadStatus => e
      abort("the stream to the referee failed: #{e.message}") unless player.may_return?(e)
      warn("the stream broke (#{e.code}); dialling again")
      sleep(REDIAL_S)
      retry
    end
  end

  # The bot with the games it is in.
  class Player
    def initialize(hello, decide)
      @hello = hello
      @decide = decide
      @games = {}
      @welcomed = @returned = false
    end

    # A broken stream may be dialled again once, if the referee had welcomed the bot.
    def may_return?(error)
      first = !@returned
      @returned = true
      first && @welcomed && MAY_RETURN.include?(error.code)
    end

    # Plays one stream; leaves the process at Goodbye or Refusal.
    def converse(address)
      @outbox = Queue.new
      @outbox << Arena::V1::PlayRequest.new(hello: @hello)
      stub = GRPC::ClientStub.new(address, trust,
                                  channel_args: { "grpc.max_receive_message_length" => LONGEST_RECEIVED,
                                                  "grpc.enable_http_proxy" => 0 })
      requests = Enumerator.new { |out| loop { out << @outbox.pop } }
      responses = stub.bidi_streamer("/arena.v1.ArenaService/Play", requests,
                                     ->(message) { Arena::V1::PlayRequest.encode(message) },
                                     ->(bytes) { Arena::V1::PlayResponse.decode(bytes) },
                                     metadata: { "authorization" => "Bearer #{ENV.fetch('ARENA_TOKEN', '')}" })
      responses.each { |response| take(response) }
      leave(1, "the referee closed the stream without a goodbye")
    end

    private

    # TLS if ARENA_CERTIFICATE names the file of what to trust.
    def trust
      file = ENV.fetch("ARENA_CERTIFICATE", "")
      file.empty? ? :this_channel_is_insecure : GRPC::Core::ChannelCredentials.new(File.read(file))
    rescue SystemCallError => e
      leave(2, "ARENA_CERTIFICATE = #{file}: #{e.message}")
    end

    def take(response)
      hear(response)
      answer(response.requests)
      leave(1, "the referee refused this bot: #{response.refusal.words}") if response.refusal
      leave(0) if response.goodbye
    end

    # Takes notice of ended games, begun games and notices, in this order; a game announced again keeps its generator.
    def hear(response)
      @welcomed ||= !response.welcome.nil?
      response.game_overs.each { |over| @games.delete(over.game_id) }
      response.new_games.each do |game|
        @games[game.game_id] ||=
          Game.new(game.game_id, game.game, game.seat, game.seats, game.options.to_h, Random.new(game.bot_seed))
      end
      response.notices.each { |notice| warn("notice: game #{notice.game_id}, decision #{notice.decision}: #{notice.words}") }
    end

    # Answers a list with a list; what is ready is sent once 1 ms has passed, for the clock of the oldest request runs.
    def answer(requests)
      answers = []
      bytes = 0
      last = now
      requests.each do |request|
        action = @decide.call(request, @games[request.game_id])
        leave(1, wrong_action(action, request)) unless action.is_a?(String)
        answers << Arena::V1::Answer.new(game_id: request.game_id, decision: request.decision, action: action)
        bytes += 32 + request.game_id.bytesize + action.bytesize
        next unless now - last > FLUSH_S || bytes > LONGEST_SENT

        send(answers)
        answers = []
        bytes = 0
        last = now
      end
      send(answers) unless answers.empty?
    end

    # Says what is wrong with an action that is no string: no trace leads to where the bot returned it.
    def wrong_action(action, request)
      "the block returned #{action.inspect}; an action is a String, one of request.legal_actions, " \
        "such as #{request.legal_actions.first.inspect}"
    end

    # Hands a list to the thread that writes, and lets it write.
    def send(answers)
      @outbox << Arena::V1::PlayRequest.new(answers: answers)
      Thread.pass
    end

    def now
      Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end

    def leave(status, words = nil)
      warn(words) if words
      $stdout.flush
      exit!(status)
    end
  end
end
