"""Setting up: making and adopting repos, installing the hooks, and looking a set-up over."""
