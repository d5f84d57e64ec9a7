// Takes a card of No Thanks! when its points for this row less the tokens on it are at most a margin.
//
// The margin is 12 unless the command gives another number; a larger one takes sooner. The same bot is there in Python,
// where its docstring says what it wins; both answer alike.

import { run } from "./arena/arena.js";

const MARGIN = Number(process.argv[2] ?? 12);

/** Return what a card adds to the points of a row; runs count their lowest card alone. */
function addedPoints(row, card) {
  return (row.includes(card - 1) ? 0 : card) - (row.includes(card + 1) ? card + 1 : 0);
}

/** Return `take` for a card within the margin or without tokens, else `pass`. */
function decide({ view, legalActions }) {
  const cheap = addedPoints(view.rows[view.seat].values, view.target) - view.pot <= MARGIN;
  return cheap || !legalActions.includes("pass") ? "take" : "pass";
}

run(decide, { games: ["no_thanks"] });
