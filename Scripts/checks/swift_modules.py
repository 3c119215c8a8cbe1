"""What the compiler needs to read modules that a build left behind, those that import C among them."""

import support


def arguments(products, package=support.ROOT):
    """Options for swiftc or symbolgraph-extract: the folder of modules, and module maps of sources, build and checkouts."""
    sources = support.ROOT / "Sources"
    maps = [*sources.rglob("module.modulemap"), *products.glob("*.build/module.modulemap"),
            *package.glob(".build/checkouts/*/Sources/**/module.modulemap")]
    found = ["-I", products / "Modules"]
    for file in maps:
        found += ["-Xcc", f"-fmodule-map-file={file}"]
    for folder in sources.rglob("include"):
        found += ["-Xcc", f"-I{folder}"]
    return found
