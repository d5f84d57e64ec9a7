// The fixture bot of the transport: it speaks HTTP/2 frame by frame, so that it can do what no gRPC library does.
//
// It plays the first legal action; `--fault NAME --at N` makes it misbehave at its Nth decision, before the answer.
// When its stream has ended without a goodbye, it lives on and does nothing: whoever rules must not wait for its end.
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"

	"cardarena/pb"
)

const (
	forEver     = time.Hour
	maxInFlight = 64
)

type bot struct {
	wire      *wire
	stream    uint32
	decisions int
}

func main() {
	fault := flag.String("fault", "none", "none, or one of:\n"+strings.Join(names(), " "))
	at := flag.Int("at", 3, "decision at which it happens, from 1; faults of the dialling happen there")
	flag.Parse()
	misbehave, early := faults[*fault], dialling[*fault]
	if misbehave == nil && early == nil && *fault != "none" {
		flag.Usage()
		os.Exit(2)
	}
	b := &bot{wire: dial()}
	if early != nil {
		early(b)
	} else {
		b.stream = b.wire.open(token())
	}
	b.hello()
	b.play(misbehave, *at)
}

func (b *bot) hello() {
	b.send(&pb.PlayRequest{Hello: &pb.Hello{Protocol: 1, Name: "wire", MaxInFlight: maxInFlight}})
}

func (b *bot) play(misbehave func(*bot, []byte), at int) {
	for {
		said := <-b.wire.heard
		if said.stream != b.stream {
			continue
		}
		if said.ended {
			say("the stream ended: %s", said.words)
			time.Sleep(forEver)
		}
		response := &pb.PlayResponse{}
		if err := proto.Unmarshal(said.message, response); err != nil {
			say("no message: %v", err)
			os.Exit(1)
		}
		for _, request := range response.Requests {
			b.decisions++
			answer := b.answer(request)
			if misbehave != nil && b.decisions == at {
				misbehave(b, answer)
			} else {
				b.wire.send(b.stream, answer)
			}
		}
		if response.Goodbye != nil || response.Refusal != nil {
			say("%v", response)
			os.Exit(0)
		}
	}
}

func (b *bot) answer(request *pb.Request) []byte {
	action := &pb.Answer{GameId: request.GameId, Decision: request.Decision, Action: request.LegalActions[0]}
	return encoded(&pb.PlayRequest{Answers: []*pb.Answer{action}})
}

func (b *bot) send(request *pb.PlayRequest) {
	b.wire.send(b.stream, encoded(request))
}

func encoded(message proto.Message) []byte {
	data, err := proto.Marshal(message)
	if err != nil {
		panic(err)
	}
	return data
}

func token() string {
	return os.Getenv("ARENA_TOKEN")
}

func say(format string, values ...any) {
	fmt.Fprintf(os.Stderr, "fixture: "+format+"\n", values...)
}
