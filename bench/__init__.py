"""Speed and quality, measured: `python -m bench` runs the short set; each module has a command of its own."""
