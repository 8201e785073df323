"""`okf`: argv in, rendering out."""


def run() -> None:
    from okf_edge import __version__

    print(__version__)
