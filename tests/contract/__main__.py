"""``python -m tests.contract`` writes the conversation on proto/README.md anew."""

from tests.contract.conversation import PAGE, conversation, section, with_section

if __name__ == "__main__":
    PAGE.write_text(with_section(PAGE.read_text(encoding="utf-8"), section(conversation())), encoding="utf-8")
