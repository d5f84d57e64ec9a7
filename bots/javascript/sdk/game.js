// What a bot is given: the game announced, with its own generator, and the request to decide.

import { Rng } from "./rng.js";

/** A game that has been announced. */
export class Game {
  constructor(message) {
    this.gameId = message.gameId;
    this.game = message.game;
    this.seat = message.seat;
    this.seats = message.seats;
    this.options = plainFields(message.options);
    this.rng = new Rng(message.botSeed);
  }
}

/** Return a request with its game, and the game's own message as `view`. */
export function plainRequest(message, game) {
  const { gameId, decision, budgetMs, bankMs, lastAnswerUs, legalActions, events } = message;
  const view = message.view === "other" ? plainFields(message.other) : message[message.view];
  return { game, gameId, decision, budgetMs, bankMs, lastAnswerUs, legalActions, events, view, rng: game.rng };
}

function plainFields(struct) {
  return Object.fromEntries(Object.entries(struct?.fields ?? {}).map(([name, value]) => [name, plain(value)]));
}

function plain(value) {
  if (value.kind === "structValue") return plainFields(value.structValue);
  if (value.kind === "listValue") return value.listValue.values.map(plain);
  return value.kind === "nullValue" ? null : value[value.kind];
}
