"""What alembic runs: the migrations, on the open connection that ``arena.storage.engine`` hands over."""

from alembic import context

from arena.storage.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,  # SQLite cannot alter a table in place
)
with context.begin_transaction():
    context.run_migrations()
