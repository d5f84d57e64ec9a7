package arena;

import arena.v1.Arena.NewGame;
import com.google.protobuf.Value;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/**
 * A game that has been announced, from the bot's point of view.
 *
 * @param id id of this game
 * @param game which game, such as "no_thanks"
 * @param seat the bot's seat, from 0
 * @param seats number of bots at the table
 * @param options every option of the game by name
 * @param rng the bot's own generator for this game alone, seeded by the referee: using it keeps results independent of
 *     how games interleave
 */
public record Game(
    String id, String game, int seat, int seats, Map<String, Value> options, RandomGenerator rng) {
  static Game of(NewGame announced) {
    return new Game(
        announced.getGameId(),
        announced.getGame(),
        announced.getSeat(),
        announced.getSeats(),
        announced.getOptions().getFieldsMap(),
        new SplittableRandom(announced.getBotSeed()));
  }
}
