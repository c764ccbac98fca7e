"""What a team shares, as far as this machine reads it: one folder, never written to."""
