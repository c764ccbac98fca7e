"""What the memory does, one flow or stage a file."""
