import arena.Bot;
import arena.Request;
import arena.v1.Arena.Hello;
import arena.v1.NoThanks.NoThanksView;
import java.util.List;

/**
 * Takes a card of No Thanks! when its points for this row less the tokens on it are at most a margin.
 *
 * <p>The margin is 12 unless the command gives another number; a larger one takes sooner. The same bot is there in
 * Python, where its docstring says what it wins; both answer alike.
 */
class Main {
  private static final int MARGIN = 12;

  /** Returns what a card adds to the points of a row; runs count their lowest card alone. */
  static int addedPoints(List<Integer> row, int card) {
    return (row.contains(card - 1) ? 0 : card) - (row.contains(card + 1) ? card + 1 : 0);
  }

  /** Returns "take" for a card within the margin or without tokens, else "pass". */
  static String choose(Request request, int margin) {
    NoThanksView view = request.message().getNoThanks();
    List<Integer> row = view.getRows(view.getSeat()).getValuesList();
    boolean cheap = addedPoints(row, view.getTarget()) - view.getPot() <= margin;
    return cheap || !request.legalActions().contains("pass") ? "take" : "pass";
  }

  public static void main(String[] args) {
    int margin = args.length > 0 ? Integer.parseInt(args[0]) : MARGIN;
    Bot.run(request -> choose(request, margin), Hello.newBuilder().addGames("no_thanks"));
  }
}
