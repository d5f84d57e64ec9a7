import arena.Bot;

/** Any legal action, drawn by the game's own generator: a complete bot for every game. */
class Main {
  public static void main(String[] args) {
    Bot.run(request -> request.legalActions().get(request.rng().nextInt(request.legalActions().size())));
  }
}
