import arena.Bot;
import arena.Request;
import arena.v1.Arena.Hello;

/** Does what the first legal action says; see tests/bots/conversation.py. */
class Main {
  static String decide(Request request) {
    return switch (request.legalActions().get(0)) {
      case "slow" -> slow();
      case "long" -> "x".repeat(2000);
      case "draw" -> String.valueOf(request.rng().nextInt(1 << 30));
      case "nothing" -> null;
      default -> throw new IllegalStateException("thrown as told");
    };
  }

  static String slow() {
    long until = System.nanoTime() + 20_000_000;
    while (System.nanoTime() < until) {
      Thread.onSpinWait();
    }
    return "slow";
  }

  public static void main(String[] args) {
    Bot.run(Main::decide, Hello.newBuilder().addGames("no_thanks"));
  }
}
