package arena;

import arena.v1.Arena;
import arena.v1.Arena.Answer;
import arena.v1.Arena.GameOver;
import arena.v1.Arena.NewGame;
import arena.v1.Arena.Notice;
import arena.v1.Arena.PlayResponse;
import java.util.HashMap;
import java.util.Map;

/** A bot with the games it is in. */
final class Player {
  private final Bot bot;
  private final Map<String, Game> games = new HashMap<>();
  private boolean welcomed;

  Player(Bot bot) {
    this.bot = bot;
  }

  /** Whether the referee has accepted this bot. */
  boolean welcomed() {
    return welcomed;
  }

  /** Takes notice of ended games, begun games and notices, in this order. */
  void hear(PlayResponse response) throws Exception {
    welcomed |= response.hasWelcome();
    for (GameOver over : response.getGameOversList()) {
      Game game = games.remove(over.getGameId());
      if (game != null) {
        bot.gameOver(new Result(game, over));
      }
    }
    for (NewGame announced : response.getNewGamesList()) {
      if (!games.containsKey(announced.getGameId())) { // else it is told again, after a broken stream
        Game game = Game.of(announced);
        games.put(game.id(), game);
        bot.newGame(game);
      }
    }
    for (Notice notice : response.getNoticesList()) {
      System.err.printf(
          "notice: game %s, decision %d: %s%n", notice.getGameId(), notice.getDecision(), notice.getWords());
    }
  }

  /** Returns the bot's answer to one request. */
  Answer answer(Arena.Request request) throws Exception {
    String action = bot.decide(new Request(games.get(request.getGameId()), request));
    if (action == null) {
      String legal = request.getLegalActions(0);
      throw new NullPointerException("decide returned null; an action is one of legalActions(), such as " + legal);
    }
    return Answer.newBuilder()
        .setGameId(request.getGameId())
        .setDecision(request.getDecision())
        .setAction(action)
        .build();
  }
}
