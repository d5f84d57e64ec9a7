package arena;

import arena.v1.Arena.Hello;

/**
 * What a bot is: a function from request to action. A complete one:
 *
 * <pre>Bot.run(request -&gt; request.legalActions().get(0));</pre>
 *
 * <p>{@code run} reads ARENA_ADDRESS and ARENA_TOKEN, so a bot is started the same way by the arena and by hand.
 * Printing is free: neither stdout nor stderr is the protocol, both go into the bot's log.
 */
@FunctionalInterface
public interface Bot {
  /** Returns the action for a request. */
  String decide(Request request) throws Exception;

  /** Is told of a game that has begun. */
  default void newGame(Game game) throws Exception {}

  /** Is told of a game that has ended. */
  default void gameOver(Result result) throws Exception {}

  /** Runs a bot that plays all games. */
  static void run(Bot bot) {
    run(bot, Hello.newBuilder());
  }

  /**
   * Connects to the referee, plays until it says goodbye, and ends the process: with status 0 after Goodbye, with 1 and
   * a trace when the bot throws (the referee rules a crash), with 1 and one line when the stream fails for good.
   *
   * @param bot the bot
   * @param hello what it says about itself, such as the games that it can play; the SDK adds the rest
   */
  static void run(Bot bot, Hello.Builder hello) {
    new Session(bot, hello).run();
  }
}
