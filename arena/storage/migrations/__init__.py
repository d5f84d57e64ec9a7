"""Every change of the schema, in order; run when a database is opened for writing."""
