"""Check that no modules of the package import each other in a circle, late imports included."""

from __future__ import annotations

import sys
from graphlib import CycleError, TopologicalSorter

import grimp

_PACKAGE = "trajmeter"
# It imports the extension, which is not a module here, so that only its package is seen.
_IGNORED = (f"{_PACKAGE}.kernels._select", f"{_PACKAGE}.kernels")

graph = grimp.build_graph(_PACKAGE, exclude_type_checking_imports=True, cache_dir=None)
graph.remove_import(importer=_IGNORED[0], imported=_IGNORED[1])
imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
try:
    TopologicalSorter(imports).prepare()
except CycleError as error:
    sys.exit(f"modules import each other in a circle: {' <- '.join(error.args[1])}")
