//! Does what the first legal action says; see tests/bots/conversation.py. `wait FILE` waits until there is that file.

use std::{
    path::Path,
    thread::sleep,
    time::{Duration, Instant},
};

use arena_sdk::{Game, Hello, Request, run_as};

fn decide(request: &Request, game: &mut Game) -> String {
    let (deed, began) = (request.legal_actions[0].as_str(), Instant::now());
    match deed {
        "slow" => while began.elapsed() < Duration::from_millis(20) {},
        "long" => return "x".repeat(2000),
        "draw" => return game.rng.u32(..1 << 30).to_string(),
        _ => {
            let file = Path::new(deed.strip_prefix("wait ").expect("thrown as told"));
            while !file.exists() && began.elapsed() < Duration::from_secs(20) {
                sleep(Duration::from_millis(5));
            }
            return file.exists().to_string();
        }
    }
    deed.into()
}

fn main() {
    run_as(Hello { games: vec!["no_thanks".into()], ..Default::default() }, decide)
}
