// Any legal action, drawn by the game's own generator: a complete bot for every game.
package main

import "cardarena"

func main() {
	cardarena.Run(cardarena.Bot{Decide: func(request *cardarena.Request) string {
		return request.LegalActions[request.Game.Rng.IntN(len(request.LegalActions))]
	}})
}
