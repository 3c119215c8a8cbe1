"""Why there is no machine, and with which status that ends."""


class Unavailable(Exception):
    """Something that the machine needs cannot be had here."""

    status = 69  # EX_UNAVAILABLE


class Broken(Exception):
    """The machine did not do its job."""

    status = 70  # EX_SOFTWARE
