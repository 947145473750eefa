"""`split`: where the file and its parts lie, the split itself, the links that it breaks, the proof from history."""
