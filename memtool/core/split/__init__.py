"""A big file cut along its headings: the plan, the names, the files that it makes, the proof, the links it breaks."""
