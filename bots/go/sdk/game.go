package cardarena

import (
	"fmt"
	"math/rand/v2"
	"os"

	"cardarena/pb"
)

// Game is a game that has been announced, from the bot's point of view.
type Game struct {
	// ID of this game.
	ID string
	// Game says which game it is, such as "no_thanks".
	Game string
	// Seat is the bot's seat, from 0.
	Seat int
	// Seats is the number of bots at the table.
	Seats int
	// Options are all options of the game by name; numbers are float64.
	Options map[string]any
	// Rng is the bot's own generator for this game alone, seeded by the referee: using it keeps results independent of
	// how games interleave.
	Rng *rand.Rand
}

// Request is one decision to make: the request as it came, with its typed view (GetNoThanks and so on), and its game.
type Request struct {
	*pb.Request
	// Game is the game it belongs to.
	Game *Game
}

// Result is how a game ended: scores, ranks and terminations by seat.
type Result struct {
	*pb.GameOver
	// Game is the game that ended.
	Game *Game
}

// player is the bot with the games it is in.
type player struct {
	bot      Bot
	games    map[string]*Game
	welcomed bool
}

func (p *player) hello() *pb.Hello {
	inFlight := p.bot.MaxInFlight
	if inFlight == 0 {
		inFlight = maxInFlight
	}
	return &pb.Hello{
		Protocol:    protocol,
		Name:        p.bot.Name,
		Version:     p.bot.Version,
		Sdk:         sdk,
		Games:       p.bot.Games,
		MaxInFlight: inFlight,
		WantsEvents: p.bot.WantsEvents,
	}
}

// hear takes notice of ended games, begun games and notices, in this order.
func (p *player) hear(response *pb.PlayResponse) {
	p.welcomed = p.welcomed || response.Welcome != nil
	for _, over := range response.GameOvers {
		game := p.games[over.GameId]
		delete(p.games, over.GameId)
		if game != nil && p.bot.GameOver != nil {
			p.bot.GameOver(&Result{over, game})
		}
	}
	for _, announced := range response.NewGames {
		if p.games[announced.GameId] == nil { // else it is told again, after a broken stream
			p.begin(announced)
		}
	}
	for _, notice := range response.Notices {
		fmt.Fprintf(os.Stderr, "notice: game %s, decision %d: %s\n", notice.GameId, notice.Decision, notice.Words)
	}
}

func (p *player) begin(announced *pb.NewGame) {
	game := &Game{
		ID:      announced.GameId,
		Game:    announced.Game,
		Seat:    int(announced.Seat),
		Seats:   int(announced.Seats),
		Options: announced.Options.AsMap(),
		Rng:     rand.New(rand.NewPCG(announced.BotSeed, 0)),
	}
	p.games[game.ID] = game
	if p.bot.NewGame != nil {
		p.bot.NewGame(game)
	}
}

// answer returns the bot's answer to one request.
func (p *player) answer(request *pb.Request) *pb.Answer {
	action := p.bot.Decide(&Request{request, p.games[request.GameId]})
	return &pb.Answer{GameId: request.GameId, Decision: request.Decision, Action: action}
}
