"""What the gate reads of two texts: whether they state the same fact, and whether both may hold."""
