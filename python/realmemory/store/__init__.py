"""All SQL: connection, schema, and one module per concern."""
