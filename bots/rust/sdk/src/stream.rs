//! The bot's end of the stream: lists of requests in, lists of answers out.
//!
//! Answers are sent when the list at hand is done, or when 1 ms has passed since the last sending or receipt: an answer
//! that waits behind a slow decision would be charged for it. One thread does everything, so after a sending the
//! runtime is entered once: it runs every task that is ready, those that write to the socket too, before it comes back.

use std::{
    backtrace::Backtrace,
    collections::HashMap,
    env, mem, panic, process,
    time::{Duration, Instant},
};

use prost::Message;
use tokio::{sync::mpsc, task, time};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Status, transport::Endpoint};

use crate::{
    Bot, Game,
    v1::{Answer, Hello, PlayRequest, PlayResponse, Request, arena_service_client::ArenaServiceClient},
};

const PROTOCOL: u32 = 1;
const SDK: &str = "arena-rust 1";
const MAX_IN_FLIGHT: u32 = 64;
const FLUSH: Duration = Duration::from_millis(1);
/// The referee takes 64 KiB a message; what is left is for the tags around the answers.
const SEND_BYTES: usize = 60 << 10;
const RECEIVE_BYTES: usize = 64 << 20;
const WINDOW_BYTES: u32 = 1 << 20;
/// Lets the referee notice a broken stream before the bot comes back.
const REDIAL_AFTER: Duration = Duration::from_millis(100);

/// How a stream ended before its Goodbye.
enum Ended {
    Refused(String),
    Broken(String),
}

/// Connects to the referee, plays until it says goodbye, and ends the process.
///
/// The status is 0 after Goodbye; 1 with a trace on stderr when the bot panics, or with one line when the stream fails
/// or the referee refuses the bot; 2 when the bot was not started by the arena.
pub fn run(bot: impl Bot) -> ! {
    run_as(Hello::default(), bot)
}

/// As [`run`], with a Hello of the bot's own: its name, version, games, `wants_events` or `max_in_flight`.
pub fn run_as(mut hello: Hello, bot: impl Bot) -> ! {
    // The words come last: they are what is kept of a long log.
    panic::set_hook(Box::new(|panic| leave(1, &format!("{}\nthe bot {panic}", Backtrace::force_capture()))));
    let Ok(address) = env::var("ARENA_ADDRESS") else {
        leave(2, "ARENA_ADDRESS is not set: a bot is started by the arena, for instance 'arena play no_thanks ...'");
    };
    if let Ok(file) = env::var("ARENA_CERTIFICATE") {
        leave(
            2,
            &format!("ARENA_CERTIFICATE = {file}: this SDK speaks no TLS, and the token may not travel in the open"),
        );
    }
    hello.protocol = PROTOCOL;
    hello.sdk = SDK.into();
    if hello.max_in_flight == 0 {
        hello.max_in_flight = MAX_IN_FLIGHT;
    }
    let token = env::var("ARENA_TOKEN").unwrap_or_default();
    let mut player = Player { bot, games: HashMap::new(), welcomed: false };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("no runtime");
    match runtime.block_on(live(&mut player, &address, &token, &hello)) {
        Ok(()) => process::exit(0),
        Err(words) => leave(1, &words),
    }
}

fn leave(status: i32, words: &str) -> ! {
    eprintln!("{words}");
    process::exit(status)
}

/// Plays to the Goodbye; a stream that breaks is dialed again, once in the life of the process.
async fn live<B: Bot>(player: &mut Player<B>, address: &str, token: &str, hello: &Hello) -> Result<(), String> {
    let mut may_redial = true;
    loop {
        match converse(player, address, token, hello.clone()).await {
            Ok(()) => return Ok(()),
            Err(Ended::Broken(words)) if may_redial && player.welcomed => {
                eprintln!("{words}; dialing again");
                may_redial = false;
                time::sleep(REDIAL_AFTER).await;
            }
            Err(Ended::Broken(words)) => return Err(words),
            Err(Ended::Refused(words)) => return Err(format!("the referee refused this bot: {words}")),
        }
    }
}

/// Plays one stream until Goodbye.
async fn converse<B: Bot>(player: &mut Player<B>, address: &str, token: &str, hello: Hello) -> Result<(), Ended> {
    let channel = endpoint(address)?
        .connect()
        .await
        .map_err(|error| Ended::Broken(format!("cannot reach the referee at {address}: {}", root_cause(&error))))?;
    let mut client = ArenaServiceClient::new(channel).max_decoding_message_size(RECEIVE_BYTES);
    let (outbox, waiting) = mpsc::channel(4);
    let mut call = tonic::Request::new(ReceiverStream::new(waiting));
    let bearer = format!("Bearer {token}").parse().map_err(|_| Ended::Broken("ARENA_TOKEN is no token".into()))?;
    call.metadata_mut().insert("authorization", bearer);
    send(&outbox, PlayRequest { hello: Some(hello), answers: vec![] }).await;
    let mut inbox = client.play(call).await.map_err(broken)?.into_inner();
    while let Some(mut response) = inbox.message().await.map_err(broken)? {
        if let Some(refusal) = response.refusal {
            return Err(Ended::Refused(refusal.words));
        }
        player.hear(&mut response);
        answer(player, &outbox, response.requests).await;
        if response.goodbye.is_some() {
            return Ok(());
        }
    }
    Err(Ended::Broken("the referee closed the stream without a goodbye".into()))
}

fn endpoint(address: &str) -> Result<Endpoint, Ended> {
    let uri = if address.contains("://") { address.into() } else { format!("http://{address}") };
    let endpoint = Endpoint::from_shared(uri)
        .map_err(|_| Ended::Broken(format!("ARENA_ADDRESS {address:?} is no unix:///PATH or HOST:PORT")))?;
    Ok(endpoint.initial_stream_window_size(WINDOW_BYTES).initial_connection_window_size(WINDOW_BYTES))
}

fn broken(status: Status) -> Ended {
    Ended::Broken(format!("the stream to the referee failed: {:?}: {}", status.code(), status.message()))
}

fn root_cause(error: &dyn std::error::Error) -> String {
    error.source().map_or_else(|| error.to_string(), root_cause)
}

/// Decides every request of a list and sends the answers by the flush rule.
async fn answer<B: Bot>(player: &mut Player<B>, outbox: &mpsc::Sender<PlayRequest>, requests: Vec<Request>) {
    let (mut answers, mut bytes, mut last) = (vec![], 0, Instant::now());
    let mut waiting = requests.len();
    for request in requests {
        waiting -= 1;
        let answer = player.answer(&request);
        let size = answer.encoded_len() + 8;
        if bytes + size > SEND_BYTES && !answers.is_empty() {
            send(outbox, PlayRequest { hello: None, answers: mem::take(&mut answers) }).await;
            bytes = 0;
        }
        bytes += size;
        answers.push(answer);
        if waiting == 0 || last.elapsed() > FLUSH {
            send(outbox, PlayRequest { hello: None, answers: mem::take(&mut answers) }).await;
            (bytes, last) = (0, Instant::now());
        }
    }
}

/// Sends a message and lets the runtime write it; that the stream is broken is seen, and said, at the next reading.
async fn send(outbox: &mpsc::Sender<PlayRequest>, message: PlayRequest) {
    let _ = outbox.send(message).await;
    task::yield_now().await;
}

/// The bot with the games it is in.
struct Player<B> {
    bot: B,
    games: HashMap<String, Game>,
    welcomed: bool,
}

impl<B: Bot> Player<B> {
    /// Takes notice of ended games, begun games and notices, in this order.
    fn hear(&mut self, response: &mut PlayResponse) {
        self.welcomed |= response.welcome.is_some();
        for over in mem::take(&mut response.game_overs) {
            if let Some(game) = self.games.remove(&over.game_id) {
                self.bot.game_over(&over, &game);
            }
        }
        for announced in mem::take(&mut response.new_games) {
            // After a redial open games are announced again: the bot keeps what it knows of them.
            if !self.games.contains_key(&announced.game_id) {
                let mut game = Game::new(announced);
                self.bot.new_game(&mut game);
                self.games.insert(game.game_id.clone(), game);
            }
        }
        for notice in &response.notices {
            eprintln!("notice: game {}, decision {}: {}", notice.game_id, notice.decision, notice.words);
        }
    }

    fn answer(&mut self, request: &Request) -> Answer {
        let game = self.games.get_mut(&request.game_id).expect("a request of a game that was never announced");
        let action = self.bot.decide(request, game);
        Answer { game_id: request.game_id.clone(), decision: request.decision, action, note: String::new() }
    }
}
