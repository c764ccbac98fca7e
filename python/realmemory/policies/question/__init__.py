"""What a question asks for, by its form."""
