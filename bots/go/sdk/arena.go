// Package cardarena is the bot's end of the stream: lists of requests in, lists of answers out.
//
// A complete bot:
//
//	func main() {
//		cardarena.Run(cardarena.Bot{Decide: func(request *cardarena.Request) string {
//			return request.LegalActions[0]
//		}})
//	}
//
// Run reads ARENA_ADDRESS and ARENA_TOKEN, so a bot is started the same way by the arena and by hand. Printing is
// free: neither stdout nor stderr is the protocol, both go into the bot's log.
package cardarena

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"cardarena/pb"
)

const (
	protocol        = 1
	sdk             = "arena-go 1"
	flushAfter      = time.Millisecond
	maxInFlight     = 64
	longestReceived = 64 << 20
	longestSent     = 60_000                 // the referee takes 64 KiB; some of it is framing
	redialAfter     = 100 * time.Millisecond // until the referee has noticed, too, that the stream is gone
)

// Bot is what Run plays. Only Decide is needed.
type Bot struct {
	// Decide returns the action for a request.
	Decide func(*Request) string
	// NewGame is told of games that have begun.
	NewGame func(*Game)
	// GameOver is told of games that have ended.
	GameOver func(*Result)
	// Games are the ids of the games it can play; empty is all.
	Games []string
	// Name is a caption; the league's name for the bot is what counts.
	Name string
	// Version is the bot's own version.
	Version string
	// WantsEvents asks for the steps since the previous request.
	WantsEvents bool
	// MaxInFlight is the number of games that it accepts at once; 0 is 64.
	MaxInFlight uint32
}

// Run connects to the referee, plays until it says goodbye, and ends the process: with status 0 after Goodbye, with 1
// and a trace when the bot panics (the referee rules a crash), with 1 and one line when the stream fails for good.
func Run(bot Bot) {
	address, token := os.Getenv("ARENA_ADDRESS"), os.Getenv("ARENA_TOKEN")
	if address == "" {
		leave(2, "ARENA_ADDRESS is not set: a bot is started by the arena, for instance 'arena play no_thanks ...'")
	}
	defer func() {
		if panicked := recover(); panicked != nil {
			leave(1, fmt.Sprintf("%s\nthe bot panicked: %v", debug.Stack(), panicked)) // last, where a cut log keeps it
		}
	}()
	player := &player{bot: bot, games: map[string]*Game{}}
	err := converse(player, address, token)
	if err != nil && player.welcomed {
		fmt.Fprintf(os.Stderr, "%v; dialling again\n", err)
		time.Sleep(redialAfter)
		err = converse(player, address, token)
	}
	if err != nil {
		leave(1, err.Error())
	}
	os.Exit(0)
}

func leave(code int, words string) {
	fmt.Fprintln(os.Stderr, words)
	os.Exit(code)
}

// converse plays one stream; it returns nil after Goodbye, else how the stream broke.
func converse(player *player, address, token string) error {
	trusted, err := trust()
	if err != nil {
		leave(2, fmt.Sprintf("ARENA_CERTIFICATE = %s: %v", os.Getenv("ARENA_CERTIFICATE"), err))
	}
	connection, err := grpc.NewClient(address,
		grpc.WithTransportCredentials(trusted),
		grpc.WithNoProxy(),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(longestReceived)))
	if err != nil {
		return fmt.Errorf("ARENA_ADDRESS %q: %w", address, err)
	}
	defer connection.Close()
	ctx, cancel := context.WithCancel(metadata.AppendToOutgoingContext(context.Background(), "authorization", "Bearer "+token))
	defer cancel()
	stream, err := pb.NewArenaServiceClient(connection).Play(ctx)
	if err == nil {
		err = stream.Send(&pb.PlayRequest{Hello: player.hello()})
	}
	for err == nil || errors.Is(err, io.EOF) { // Send says EOF for every break; Recv knows the reason
		var response *pb.PlayResponse
		if response, err = stream.Recv(); err != nil {
			break
		}
		if response.Refusal != nil {
			leave(1, "the referee refused this bot: "+response.Refusal.Words)
		}
		err = answer(player, stream, response)
		if response.Goodbye != nil {
			return nil
		}
	}
	if errors.Is(err, io.EOF) {
		return errors.New("the referee closed the stream without a goodbye")
	}
	return fmt.Errorf("the stream to the referee failed: %s: %s", status.Code(err), status.Convert(err).Message())
}

// trust returns TLS if ARENA_CERTIFICATE names the file of what to trust.
func trust() (credentials.TransportCredentials, error) {
	if file := os.Getenv("ARENA_CERTIFICATE"); file != "" {
		return credentials.NewClientTLSFromFile(file, "")
	}
	return insecure.NewCredentials(), nil
}

// answer takes one bundle: it tells the bot what is new, decides every request, and sends the answers when the list is
// done, or when 1 ms has passed since the last sending or receipt: an answer that waits behind a slow decision is
// charged for it.
func answer(player *player, stream pb.ArenaService_PlayClient, response *pb.PlayResponse) error {
	last := time.Now()
	player.hear(response)
	var answers []*pb.Answer
	bytes, waiting := 0, len(response.Requests)
	for _, request := range response.Requests {
		waiting--
		next := player.answer(request)
		size := 32 + len(next.GameId) + len(next.Action)
		if len(answers) > 0 && bytes+size > longestSent {
			if err := stream.Send(&pb.PlayRequest{Answers: answers}); err != nil {
				return err
			}
			answers, bytes = nil, 0
		}
		answers, bytes = append(answers, next), bytes+size
		if waiting == 0 || time.Since(last) > flushAfter {
			if err := stream.Send(&pb.PlayRequest{Answers: answers}); err != nil {
				return err
			}
			written()
			answers, bytes, last = nil, 0, time.Now()
		}
	}
	return nil
}

// written lets gRPC's own goroutine write what was sent before the next decision takes the processor; it gathers small
// writes by yielding once itself, so one turn is not enough.
func written() {
	for range 4 {
		runtime.Gosched()
	}
}
