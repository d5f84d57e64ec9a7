// Does what the first legal action says; see tests/bots/conversation.py.
package main

import (
	"strconv"
	"strings"
	"time"

	"cardarena"
)

func decide(request *cardarena.Request) string {
	switch request.LegalActions[0] {
	case "slow":
		for begin := time.Now(); time.Since(begin) < 20*time.Millisecond; {
		}
		return "slow"
	case "long":
		return strings.Repeat("x", 2000)
	case "draw":
		return strconv.Itoa(request.Game.Rng.IntN(1 << 30))
	}
	panic("thrown as told")
}

func main() {
	cardarena.Run(cardarena.Bot{Decide: decide, Games: []string{"no_thanks"}})
}
