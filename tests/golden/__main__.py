"""``python -m tests.golden`` writes the golden records anew; a person reads the difference before it is committed."""

from tests.golden.test_golden import regenerate

if __name__ == "__main__":
    print("\n".join(regenerate()))
