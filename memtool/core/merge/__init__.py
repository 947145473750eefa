"""Two sides' memory put together: files, front matter, sections, lines; nothing that either wrote is lost."""
