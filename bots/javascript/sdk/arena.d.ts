// Types of what a bot uses of the SDK. Views are the messages of proto/arena/v1/<game>.proto.

/** A number from the game's own generator, which the referee seeds. */
export interface Rng {
  /** From 0, below 1. */
  random(): number;
  /** A whole number from 0, below `end`. */
  below(end: number): number;
  /** One of the items; there must be one. */
  choice<Item>(items: readonly Item[]): Item;
}

/** A game that has been announced. */
export interface Game {
  readonly gameId: string;
  /** Which game, such as "no_thanks". */
  readonly game: string;
  /** The bot's seat, from 0. */
  readonly seat: number;
  /** Number of bots at the table. */
  readonly seats: number;
  /** Every option of the game by name. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly rng: Rng;
}

/** One step of a game, as the seat may see it. */
export interface Event {
  readonly chance: string;
  readonly moves: readonly { readonly seat: number; readonly action: string; readonly tick?: number }[];
}

/** One decision to make. */
export interface Request<View = any> {
  readonly game: Game;
  readonly gameId: string;
  /** Number of this decision in this game, from 0. */
  readonly decision: number;
  /** Time left for this decision in milliseconds, bank included, margin not. */
  readonly budgetMs: number;
  readonly bankMs: number;
  /** What the previous answer of this game was charged, in microseconds. */
  readonly lastAnswerUs: number;
  /** Canonical order, never empty; each can be returned as it is. */
  readonly legalActions: readonly string[];
  /** The steps since the previous request of this game, if the bot asked for them. */
  readonly events: readonly Event[];
  /** What the seat may know. */
  readonly view: View;
  readonly rng: Rng;
}

/** How a game ended; lists by seat. */
export interface Result {
  readonly game: Game;
  /** More is better. */
  readonly scores: readonly number[];
  /** 1 is best. */
  readonly ranks: readonly number[];
  readonly terminations: readonly string[];
}

export type Decide = (request: Request) => string | Promise<string>;

export interface Bot {
  decide: Decide;
  newGame?(game: Game): void | Promise<void>;
  gameOver?(result: Result): void | Promise<void>;
}

/** What a bot says about itself. */
export interface Settings {
  /** Ids of the games it can play; empty is all. */
  games?: readonly string[];
  /** A caption; the league's name for the bot is what counts. */
  name?: string;
  version?: string;
  /** Ask for the steps since the previous request. */
  wantsEvents?: boolean;
  /** Games that it accepts at once, 64 unless said. */
  maxInFlight?: number;
}

/** Connect to the referee, play until it says goodbye, and end the process. */
export function run(bot: Bot | Decide, settings?: Settings): Promise<never>;
