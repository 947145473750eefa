"""Calendar dates as text, ``YYYY-MM-DD``: they sort as they are, and no clock is needed."""

from __future__ import annotations


def is_date(text: str) -> bool:
    """Tell a calendar date ``YYYY-MM-DD``; 2026-02-31 is none."""
    if len(text) != 10 or text[4] != "-" or text[7] != "-":
        return False
    year, month, day = text[:4], text[5:7], text[8:]
    if not all(part.isascii() and part.isdecimal() for part in (year, month, day)):
        return False
    return 1 <= int(month) <= 12 and 1 <= int(day) <= days_in_month(int(year), int(month))


def days_in_month(year: int, month: int) -> int:
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 30 if month in {4, 6, 9, 11} else 31
