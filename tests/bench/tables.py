"""Rows that hold a number against its limit, a peer, and what is wanted, and tables of them in Markdown."""
import dataclasses


@dataclasses.dataclass
class Row:
    what: str
    limit: str = ""
    peer: str = ""
    ours: str = ""
    ratio: str = ""
    wanted: str = ""
    reached: bool | None = None  # None = nothing is wanted of it
    values: tuple = ()  # of ours and of the peer, where both are numbers


def amount(value, unit="ms"):
    """Three digits at least, and the unit."""
    digits = 0 if value >= 100 else 1 if value >= 10 else 2 if value >= 1 else 3
    return f"{value:.{digits}f} {unit}"


def at_most(what, ours, most=None, limit=None, peer="", unit="ms"):
    """`ours` is to be at most `most`; its ratio to the limit is told."""
    return Row(what, amount(limit, unit) if limit else "", peer, amount(ours, unit),
               f"{ours / limit:.2f} x limit" if limit else "", f"<= {most:g} {unit}" if most else "",
               ours <= most if most else None)


def times_limit(what, ours, limit, most=None, unit="ms", of="limit"):
    """`ours` is to be at most `most` times the limit, or times what `of` names."""
    return Row(what, amount(limit, unit), "", amount(ours, unit), f"{ours / limit:.2f} x {of}",
               f"<= {most:g} x {of}" if most else "", ours / limit <= most if most else None)


def faster(what, ours, peer, least=None, unit="ms"):
    """The peer is to take at least `least` times as long."""
    return Row(what, "", amount(peer, unit), amount(ours, unit), f"peer / ours {peer / ours:.1f}",
               f">= {least:g}" if least else "", peer / ours >= least if least else None, (ours, peer))


def skipped(what, reason):
    return Row(what, ours=f"skipped: {reason}")


def print_table(title, rows, notes=()):
    verdict = {None: "", True: "reached", False: "NOT REACHED"}
    cells = [["", "limit", "peer", "ours", "ratio", "wanted", ""]]
    cells += [[r.what, r.limit, r.peer, r.ours, r.ratio, r.wanted, verdict[r.reached]] for r in rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]))]
    print(f"\n### {title}\n")
    for number, row in enumerate(cells):
        print("| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |")
        if number == 0:
            print("|" + "|".join("-" * (width + 2) for width in widths) + "|")
    for note in notes:
        print(f"\n{note}")
    print(flush=True)
