"""The recall exam: cases with a right answer, put to a memory, and marked without a model."""
