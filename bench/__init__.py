"""Measurements, as ratios within one run; docs/performance.md has the figures and how to repeat them."""
