//! Answers "spin" after 5 ms of work; any other action is a file that it waits for without giving way to anything.

use std::{path::Path, thread::sleep, time::{Duration, Instant}};

use arena_sdk::{Game, Request, run};

fn decide(request: &Request, _game: &mut Game) -> String {
    let began = Instant::now();
    if request.legal_actions[0] == "spin" {
        while began.elapsed() < Duration::from_millis(5) {}
        return "spun".into();
    }
    while began.elapsed() < Duration::from_secs(20) {
        if Path::new(&request.legal_actions[0]).exists() {
            return "found".into();
        }
        sleep(Duration::from_millis(5));
    }
    "missed".into()
}

fn main() {
    run(decide)
}
