//! Prime Reversal: win the trick if a card does, dump the lowest white card if none does, pick primes.
//!
//! The bot `greedy` of the Python folder does the same, where its docstring says what it wins; both answer alike.

use arena_sdk::{Game, Hello, Request, View, run_as};

const PRIMES: [u32; 9] = [11, 13, 17, 19, 23, 29, 31, 37, 41];

/// What decides a trick, and what a loser likes: primes above all others, then the number.
fn strength(card: u32) -> (bool, u32) {
    (PRIMES.contains(&card), card)
}

/// An action such as `play 23` in its parts.
fn parts(action: &str) -> (&str, u32) {
    let (verb, card) = action.split_once(' ').expect("an action of Prime Reversal has two words");
    (verb, card.parse().expect("the second one is a card"))
}

/// The strongest card if it wins the trick so far, else the least useful one; as a loser the best pick.
fn choose(legal_actions: &[String], trick: &[u32]) -> String {
    let (verb, _) = parts(&legal_actions[0]);
    let by_strength = |action: &&String| strength(parts(action).1);
    let best = legal_actions.iter().max_by_key(by_strength).expect("there is always a legal action");
    let to_beat = trick.iter().map(|&card| strength(card)).max();
    if verb == "play" && to_beat.is_some_and(|other| strength(parts(best).1) < other) {
        return legal_actions.iter().min_by_key(by_strength).expect("as above").clone();
    }
    best.clone()
}

fn decide(request: &Request, _game: &mut Game) -> String {
    let Some(View::PrimeReversal(view)) = &request.view else { panic!("this bot plays prime_reversal alone") };
    choose(&request.legal_actions, &view.trick)
}

fn main() {
    run_as(Hello { games: vec!["prime_reversal".into()], ..Default::default() }, decide)
}
