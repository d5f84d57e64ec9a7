// Takes a card of No Thanks! when its points for this row less the tokens on it are at most a margin.
//
// The margin is 12 unless the command gives another number; a larger one takes sooner. The same bot is there in Python,
// where its docstring says what it wins; both answer alike.
package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"

	"cardarena"
)

// addedPoints returns what a card adds to the points of a row; runs count their lowest card alone.
func addedPoints(row []int32, card int32) int32 {
	points := card
	if slices.Contains(row, card-1) {
		points = 0
	}
	if slices.Contains(row, card+1) {
		points -= card + 1
	}
	return points
}

// choose returns "take" for a card within the margin or without tokens, else "pass".
func choose(request *cardarena.Request, margin int32) string {
	view := request.GetNoThanks()
	row := view.Rows[view.GetSeat()].Values
	cheap := addedPoints(row, int32(view.Target))-int32(view.Pot) <= margin
	if cheap || !slices.Contains(request.LegalActions, "pass") {
		return "take"
	}
	return "pass"
}

func main() {
	margin := 12
	if len(os.Args) > 1 {
		var err error
		if margin, err = strconv.Atoi(os.Args[1]); err != nil {
			fmt.Fprintf(os.Stderr, "the margin is a whole number, not %q\n", os.Args[1])
			os.Exit(2)
		}
	}
	cardarena.Run(cardarena.Bot{
		Games:  []string{"no_thanks"},
		Decide: func(request *cardarena.Request) string { return choose(request, int32(margin)) },
	})
}
