//! What a Rust bot needs of the arena: `run`, and the types that it is given.
//!
//! A complete bot:
//!
//! ```no_run
//! arena_sdk::run(|request: &arena_sdk::Request, game: &mut arena_sdk::Game| {
//!     game.rng.choice(&request.legal_actions).unwrap().clone()
//! })
//! ```
//!
//! stdout and stderr are free: both go into the bot's log.

mod stream;
#[allow(missing_docs, clippy::all)]
#[rustfmt::skip]
pub mod v1;

use std::collections::BTreeMap;

pub use fastrand::Rng;
use prost_types::{Value, value::Kind};
pub use stream::{run, run_as};
pub use v1::{GameOver, Hello, Request, request::View};

/// A bot: a function from request and game to action, or anything with `decide`.
pub trait Bot {
    /// Returns the action for a request, usually one of `request.legal_actions`.
    ///
    /// A panic ends the process with a trace; the referee rules it a crash and starts the bot anew.
    fn decide(&mut self, request: &Request, game: &mut Game) -> String;

    /// Takes notice of a game before its first request.
    fn new_game(&mut self, _game: &mut Game) {}

    /// Takes notice of how a game ended.
    fn game_over(&mut self, _over: &GameOver, _game: &Game) {}
}

impl<F: FnMut(&Request, &mut Game) -> String> Bot for F {
    fn decide(&mut self, request: &Request, game: &mut Game) -> String {
        self(request, game)
    }
}

/// A game that has been announced, from the bot's point of view.
pub struct Game {
    /// Id of this game.
    pub game_id: String,
    /// Which game, such as `no_thanks`.
    pub game: String,
    /// The bot's seat, from 0.
    pub seat: usize,
    /// Number of bots at the table.
    pub seats: usize,
    /// Every option of the game by name; `number` and `text` read one.
    pub options: BTreeMap<String, Value>,
    /// The bot's own generator for this game alone, seeded by the referee: using it keeps results independent of how
    /// games interleave.
    pub rng: Rng,
}

impl Game {
    fn new(message: v1::NewGame) -> Self {
        Self {
            game_id: message.game_id,
            game: message.game,
            seat: message.seat as usize,
            seats: message.seats as usize,
            options: message.options.map(|options| options.fields).unwrap_or_default(),
            rng: Rng::with_seed(message.bot_seed),
        }
    }

    /// Returns an option that is a number, such as `rounds`.
    pub fn number(&self, option: &str) -> Option<f64> {
        match self.options.get(option)?.kind {
            Some(Kind::NumberValue(number)) => Some(number),
            _ => None,
        }
    }

    /// Returns an option that is text, such as `mode`.
    pub fn text(&self, option: &str) -> Option<&str> {
        match &self.options.get(option)?.kind {
            Some(Kind::StringValue(text)) => Some(text),
            _ => None,
        }
    }
}
