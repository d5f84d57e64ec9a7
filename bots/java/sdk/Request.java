package arena;

import java.util.List;
import java.util.random.RandomGenerator;

/**
 * One decision to make.
 *
 * @param game the game it belongs to
 * @param message the request as it came, with its typed view ({@code getNoThanks()} and so on), times and events
 */
public record Request(Game game, arena.v1.Arena.Request message) {
  /** Returns the legal actions in canonical order, never none; each can be returned as it is. */
  public List<String> legalActions() {
    return message.getLegalActionsList();
  }

  /** Returns the game's own generator. */
  public RandomGenerator rng() {
    return game.rng();
  }
}
