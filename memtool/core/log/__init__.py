"""Who changed what in a history, followed through renames and splits; and a past text brought back."""
