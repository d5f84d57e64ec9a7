package arena;

import arena.v1.Arena;
import arena.v1.Arena.Answer;
import arena.v1.Arena.Hello;
import arena.v1.Arena.PlayRequest;
import arena.v1.Arena.PlayResponse;
import io.grpc.ChannelCredentials;
import java.io.IOException;

/** The life of a bot process: lists of requests in, lists of answers out, once more if the stream breaks. */
final class Session {
  private static final int PROTOCOL = 1;
  private static final String SDK = "arena-java 1";
  private static final int MAX_IN_FLIGHT = 64;
  private static final long FLUSH_NANOS = 1_000_000;
  private static final int LONGEST_SENT = 60_000; // the referee takes 64 KiB; some of it is framing
  private static final long REDIAL_MS = 100; // until the referee has noticed, too, that the stream is gone

  private final Player player;
  private final Hello hello;

  Session(Bot bot, Hello.Builder hello) {
    this.player = new Player(bot);
    int inFlight = hello.getMaxInFlight() == 0 ? MAX_IN_FLIGHT : hello.getMaxInFlight();
    this.hello = hello.setProtocol(PROTOCOL).setSdk(SDK).setMaxInFlight(inFlight).build();
  }

  void run() {
    String address = System.getenv("ARENA_ADDRESS");
    if (address == null || address.isEmpty()) {
      leave(2, "ARENA_ADDRESS is not set: a bot is started by the arena, for instance 'arena play no_thanks ...'");
    }
    String certificate = System.getenv().getOrDefault("ARENA_CERTIFICATE", "");
    ChannelCredentials trusted = null;
    try {
      trusted = Stream.trust(certificate);
    } catch (IOException unreadable) {
      leave(2, "ARENA_CERTIFICATE = " + certificate + ": " + unreadable.getMessage());
    }
    try {
      String words = converse(address, trusted);
      if (!words.isEmpty() && player.welcomed()) {
        System.err.println(words + "; dialling again");
        Thread.sleep(REDIAL_MS);
        words = converse(address, trusted);
      }
      leave(words.isEmpty() ? 0 : 1, words);
    } catch (Throwable thrown) { // the bot's own code may throw anything: its author sees the trace, the referee a crash
      thrown.printStackTrace();
      leave(1, "the bot threw " + thrown);
    }
  }

  /** Ends the process at once, without waiting for gRPC's threads. */
  private static void leave(int status, String words) {
    if (!words.isEmpty()) {
      System.err.println(words);
    }
    System.out.flush();
    System.err.flush();
    Runtime.getRuntime().halt(status);
  }

  /** Plays one stream; returns "" after Goodbye, else how the stream broke, in words. */
  private String converse(String address, ChannelCredentials trusted) throws Exception {
    String token = System.getenv().getOrDefault("ARENA_TOKEN", "");
    try (Stream stream = new Stream(address, token, trusted)) {
      stream.write(PlayRequest.newBuilder().setHello(hello).build());
      PlayResponse response;
      while ((response = stream.read()) != null) {
        if (response.hasRefusal()) {
          leave(1, "the referee refused this bot: " + response.getRefusal().getWords());
        }
        answerAll(stream, response);
        if (response.hasGoodbye()) {
          return "";
        }
      }
      return stream.ending();
    }
  }

  /**
   * Takes one bundle: tells the bot what is new, decides every request, and sends the answers when the list is done, or
   * when 1 ms has passed since the last sending or receipt: an answer that waits behind a slow decision is charged for
   * it.
   */
  private void answerAll(Stream stream, PlayResponse response) throws Exception {
    long last = System.nanoTime();
    player.hear(response);
    PlayRequest.Builder list = PlayRequest.newBuilder();
    int bytes = 0;
    int waiting = response.getRequestsCount();
    for (Arena.Request request : response.getRequestsList()) {
      waiting--;
      Answer answer = player.answer(request);
      int size = 8 + answer.getSerializedSize();
      if (list.getAnswersCount() > 0 && bytes + size > LONGEST_SENT) {
        stream.write(list.build());
        list = PlayRequest.newBuilder();
        bytes = 0;
      }
      list.addAnswers(answer);
      bytes += size;
      if (waiting == 0 || System.nanoTime() - last > FLUSH_NANOS) {
        stream.write(list.build());
        if (waiting > 0) {
          stream.awaitWritten();
        }
        list = PlayRequest.newBuilder();
        bytes = 0;
        last = System.nanoTime();
      }
    }
  }
}
