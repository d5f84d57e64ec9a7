// The bot's end of the stream: lists of requests in, lists of answers out.
//
//     import { run } from "./arena/arena.js";
//     run((request) => request.rng.choice(request.legalActions));
//
// run() reads ARENA_ADDRESS and ARENA_TOKEN, so a bot is started the same way by the arena and by hand. Printing is
// free: neither stdout nor stderr is the protocol, both go into the bot's log.

import grpc from "@grpc/grpc-js";
import { readFileSync } from "node:fs";
import { setImmediate, setTimeout } from "node:timers/promises";
import { inspect } from "node:util";
import { Game, plainRequest } from "./game.js";
import { loadService } from "./service.js";

const PROTOCOL = 1;
const SDK = "arena-javascript 1";
const FLUSH_MS = 1;
const MAX_IN_FLIGHT = 64;
const LONGEST_RECEIVED = 64 << 20;
const LONGEST_SENT = 60_000; // the referee takes 64 KiB; some of it is framing
const REDIAL_MS = 100; // until the referee has noticed, too, that the stream is gone

/**
 * Connect to the referee, play until it says goodbye, and end the process: with status 0 after Goodbye, with 1 and a
 * trace when the bot throws (the referee rules a crash), with 1 and one line when the stream fails for good.
 *
 * @param {import("./arena").Bot | import("./arena").Decide} bot a function from request to action, or an object with
 *     `decide` and, if it wants them, `newGame(game)` and `gameOver(result)`
 * @param {import("./arena").Settings} settings what the bot says about itself
 */
export async function run(bot, settings = {}) {
  const { ARENA_ADDRESS: address, ARENA_TOKEN: token = "" } = process.env;
  if (!address) {
    leave(2, "ARENA_ADDRESS is not set: a bot is started by the arena, for instance 'arena play no_thanks ...'");
  }
  const hello = { protocol: PROTOCOL, sdk: SDK, maxInFlight: MAX_IN_FLIGHT, ...settings };
  const player = new Player(typeof bot === "function" ? { decide: bot } : bot);
  let words = await converse(player, address, token, hello);
  if (words && player.welcomed) {
    console.error(`${words}; dialling again`);
    await setTimeout(REDIAL_MS);
    words = await converse(player, address, token, hello);
  }
  leave(words ? 1 : 0, words);
}

function leave(status, words) {
  if (words) console.error(words);
  process.exit(status);
}

/** Play one stream; return "" after Goodbye, else how the stream broke, in words. */
async function converse(player, address, token, hello) {
  const metadata = new grpc.Metadata();
  metadata.set("authorization", `Bearer ${token}`);
  const client = new (loadService())(address, trust(), {
    "grpc.max_receive_message_length": LONGEST_RECEIVED,
    "grpc.enable_http_proxy": 0,
  });
  const call = client.Play(metadata);
  call.write({ hello });
  try {
    for await (const response of call) {
      if (response.refusal) leave(1, `the referee refused this bot: ${response.refusal.words}`);
      await answerAll(player, call, response);
      if (response.goodbye) return "";
    }
    return "the referee closed the stream without a goodbye";
  } catch (error) {
    if (typeof error?.code !== "number") throw error; // not a status of gRPC
    return `the stream to the referee failed: ${grpc.status[error.code]}: ${error.details}`;
  } finally {
    client.close();
  }
}

/** TLS if ARENA_CERTIFICATE names the file of what to trust. */
function trust() {
  const { ARENA_CERTIFICATE: file } = process.env;
  if (!file) return grpc.credentials.createInsecure();
  try {
    return grpc.credentials.createSsl(readFileSync(file));
  } catch (error) {
    return leave(2, `ARENA_CERTIFICATE = ${file}: ${error.message}`);
  }
}

/**
 * Take one bundle: tell the bot what is new, decide every request, and send the answers when the list is done, or when
 * 1 ms has passed since the last sending or receipt: an answer that waits behind a slow decision is charged for it.
 */
async function answerAll(player, call, response) {
  player.hear(response);
  let answers = [];
  let bytes = 0;
  let last = performance.now();
  let waiting = response.requests.length;
  for (const request of response.requests) {
    waiting -= 1;
    const answer = await player.answer(request);
    const size = 32 + Buffer.byteLength(answer.gameId) + Buffer.byteLength(answer.action);
    if (answers.length && bytes + size > LONGEST_SENT) {
      call.write({ answers });
      [answers, bytes] = [[], 0];
    }
    answers.push(answer);
    bytes += size;
    if (!waiting || performance.now() - last > FLUSH_MS) {
      call.write({ answers });
      if (waiting) await written();
      [answers, bytes, last] = [[], 0, performance.now()];
    }
  }
}

/** Let the event loop write what was sent, before the next decision keeps it busy. */
async function written() {
  await setImmediate();
  await setImmediate();
}

/** Say what is wrong with an action that is no string: no trace leads to where the bot returned it. */
function wrongAction(action, { legalActions }) {
  const hint = action === undefined ? " (does every way through it end with a return?)" : "";
  const one = `one of request.legalActions, such as ${inspect(legalActions[0])}`;
  return `decide returned ${inspect(action)}${hint}; an action is a string, ${one}`;
}

/** The bot with the games it is in. */
class Player {
  #bot;
  #games = new Map();
  welcomed = false;

  constructor(bot) {
    this.#bot = bot;
  }

  /** Take notice of ended games, begun games and notices, in this order. */
  hear(response) {
    this.welcomed ||= response.welcome !== null;
    for (const over of response.gameOvers) {
      const game = this.#games.get(over.gameId);
      this.#games.delete(over.gameId);
      if (game) this.#try(() => this.#bot.gameOver?.({ ...over, game }));
    }
    for (const announced of response.newGames) {
      if (this.#games.has(announced.gameId)) continue; // told again after a broken stream
      const game = new Game(announced);
      this.#games.set(game.gameId, game);
      this.#try(() => this.#bot.newGame?.(game));
    }
    for (const { gameId, decision, words } of response.notices) {
      console.error(`notice: game ${gameId}, decision ${decision}: ${words}`);
    }
  }

  /** Return the bot's answer to one request. */
  async answer(message) {
    const request = plainRequest(message, this.#games.get(message.gameId));
    const action = await this.#try(() => this.#bot.decide(request));
    if (typeof action !== "string") leave(1, wrongAction(action, request));
    return { gameId: message.gameId, decision: message.decision, action };
  }

  /** The bot's own code may throw anything: its author sees the trace, the referee a crash. */
  async #try(code) {
    try {
      return await code();
    } catch (error) {
      console.error(error);
      leave(1, `the bot threw ${error}`);
    }
  }
}
