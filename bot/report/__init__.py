"""The report of a run: one page that shows where the time went."""
