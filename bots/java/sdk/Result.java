package arena;

import arena.v1.Arena.GameOver;

/**
 * How a game ended.
 *
 * @param game the game
 * @param message the result as it came: scores, ranks and terminations by seat
 */
public record Result(Game game, GameOver message) {}
