"""What a line of a memory may not, or should not, hold: secrets, rotting status, text in the wrong tier."""
