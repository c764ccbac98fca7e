"""What a later text says has changed, and whether that bears on a question."""
