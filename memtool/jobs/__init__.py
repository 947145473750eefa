"""What the commands do: the core's answers joined to the edges."""
