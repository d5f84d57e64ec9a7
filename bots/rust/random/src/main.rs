//! Any legal action, drawn by the game's own generator: a complete bot for every game.

use arena_sdk::{Game, Request, run};

fn decide(request: &Request, game: &mut Game) -> String {
    game.rng.choice(&request.legal_actions).expect("there is always a legal action").clone()
}

fn main() {
    run(decide)
}
