# frozen_string_literal: true

# Any legal action, drawn by the game's own generator: a complete bot for every game.

require_relative "arena/arena"

Arena.run { |request, game| request.legal_actions.to_a.sample(random: game.rng) }
