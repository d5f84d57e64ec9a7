// Any legal action, drawn by the game's own generator: a complete bot for every game.

import { run } from "./arena/arena.js";

run((request) => request.rng.choice(request.legalActions));
