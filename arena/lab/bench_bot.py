"""An instant bot for measuring: the SDK's own work and nothing else."""

from arena.sdk import run

if __name__ == "__main__":
    run(lambda request: request.legal_actions[0])
