// Does what the first legal action says; see tests/bots/conversation.py.

import { run } from "./arena/arena.js";

const DEEDS = {
  slow: () => {
    const until = performance.now() + 20;
    while (performance.now() < until);
    return "slow";
  },
  long: () => "x".repeat(2000),
  draw: (request) => String(request.rng.below(2 ** 30)),
  nothing: () => undefined,
  throw: () => {
    throw new Error("thrown as told");
  },
};

run((request) => DEEDS[request.legalActions[0]](request), { games: ["no_thanks"] });
