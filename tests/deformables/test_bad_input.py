"""Wrong input is a sentence that names the deformable, the value and what is valid."""

from __future__ import annotations

import numpy as np
import pytest

from redmax.deformables import Cloth, Deformable, Elements, Spring, SpringChain, Tetrahedra
from redmax.errors import SceneError

CORNERS = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
SOLID = {"nodes": CORNERS, "tets": [(0, 1, 2, 3)], "density": 1.0, "youngs": 1e4, "poisson": 0.3}
BOX = {"size": (1, 1, 1), "cells": (1, 1, 1), "density": 1.0, "youngs": 1e4, "poisson": 0.3}
CHAIN = {"start": (0, 0, 0), "end": (1, 0, 0), "count": 4, "mass": 1.0, "stiffness": 10.0}
CLOTH = {"size": (1, 1), "cells": (2, 2), "density": 0.1, "stretch": 10.0}
PLAIN = {"nodes": CORNERS, "masses": [1, 1, 1, 1], "elements": ()}


@pytest.mark.parametrize(
    ("make", "good", "change", "says"),
    [
        (SpringChain, CHAIN, {"count": 1}, "count is 1, expected a whole number from 2 up"),
        (SpringChain, CHAIN, {"count": 2.5}, "count is 2.5"),
        (SpringChain, CHAIN, {"count": True}, "count is True"),
        (SpringChain, CHAIN, {"end": (0, 0, 0)}, "start and end are both"),
        (SpringChain, CHAIN, {"end": (0, 0)}, "end is"),
        (SpringChain, CHAIN, {"mass": 0.0}, "mass is 0.0"),
        (SpringChain, CHAIN, {"stiffness": -1}, "stiffness is -1"),
        (SpringChain, CHAIN, {"damping": -1}, "damping is -1, expected a finite number from 0 up"),
        (SpringChain, CHAIN, {"length": 0}, "length is 0"),
        (SpringChain, CHAIN, {"rayleigh": (0.1,)}, "rayleigh is"),
        (SpringChain, CHAIN, {"rayleigh": (0.1, -1)}, "two finite numbers from 0 up"),
        (SpringChain, CHAIN, {"name": 3}, "name is 3, expected a text"),
        (SpringChain, CHAIN, {"name": "rope", "mass": np.nan}, "SpringChain 'rope': mass is nan"),
        (Cloth, CLOTH, {"size": (1, 0)}, r"size is \(1, 0\)"),
        (Cloth, CLOTH, {"size": 1}, "size is 1"),
        (Cloth, CLOTH, {"cells": (2, 0)}, "cells along y is 0"),
        (Cloth, CLOTH, {"cells": 3}, "cells is 3"),
        (Cloth, CLOTH, {"stretch": 0}, "stretch is 0"),
        (Cloth, CLOTH, {"shear": -1}, "shear is -1"),
        (Cloth, CLOTH, {"bend": np.inf}, "bend is inf"),
        (Cloth, CLOTH, {"density": -1}, "density is -1"),
        (Cloth, CLOTH, {"at": np.ones((4, 4))}, "at has a rotation block"),
        (Tetrahedra, SOLID, {"nodes": [(0, 0)]}, "nodes is"),
        (Tetrahedra, SOLID, {"tets": [(0, 1, 2)]}, "tets is"),
        (Tetrahedra, SOLID, {"tets": [(0, 1, 2, 3.5)]}, "tets is"),
        (Tetrahedra, SOLID, {"tets": []}, "tets is empty"),
        (Tetrahedra, SOLID, {"tets": [(0, 1, 2, 4)]}, r"tetrahedron 0 has the nodes \[0, 1, 2, 4\], expected 0 to 3"),
        (Tetrahedra, SOLID, {"tets": [(0, 1, 2, 3), (0, 1, 2, 2)]}, "tetrahedron 1 .* not flat"),
        (Tetrahedra, SOLID, {"nodes": [*CORNERS[:3], (0.5, 0.5, 0)]}, "tetrahedron 0 of nodes .* has the volume 0"),
        (Tetrahedra, SOLID, {"nodes": [*CORNERS, (5, 5, 5)]}, "node 4 is in no tetrahedron"),
        (Tetrahedra, SOLID, {"tets": [(0, 1, 2, 3)] * 3}, r"face of nodes \[0, 1, 2\] has 3 tetrahedra"),
        (Tetrahedra, SOLID, {"poisson": 0.5}, "poisson is 0.5, expected a finite number greater than -1 and less than 0.5"),
        (Tetrahedra, SOLID, {"poisson": -1}, "poisson is -1"),
        (Tetrahedra, SOLID, {"youngs": 0}, "youngs is 0, expected a finite number greater than 0"),
        (Tetrahedra, SOLID, {"youngs": [1.0, 2.0]}, "one for each of 1 tetrahedra"),
        (Tetrahedra, SOLID, {"density": [-1.0]}, "with -1 at 0"),
        (Tetrahedra, SOLID, {"material": "rubber"}, "material is 'rubber', expected 'neo-hookean' or 'corotated'"),
        (Tetrahedra, SOLID, {"material": ["corotated"]}, "material is"),
        (Tetrahedra.box, BOX, {"cells": (1, 1)}, "cells is"),
        (Tetrahedra.box, BOX, {"cells": (1, 1, -1)}, "cells along z is -1"),
        (Tetrahedra.box, BOX, {"size": (1, 1, 0)}, "size is"),
        (Deformable, PLAIN, {"masses": [1, 1, 1]}, "masses is"),
        (Deformable, PLAIN, {"masses": [1, 1, 0, 1]}, "masses has 0 at node 2"),
        (Deformable, PLAIN, {"nodes": np.zeros((0, 3)), "masses": []}, "nodes is"),
        (Deformable, PLAIN, {"elements": (Elements(Spring(), [(0, 4)], [(1, 1, 0)]),)}, r"element 0 has the nodes \[0, 4\]"),
        (Deformable, PLAIN, {"elements": 3}, "elements is 3, expected a tuple of redmax.deformables.Elements"),
        (Deformable, PLAIN, {"elements": ("spring",)}, "elements is"),
        (Deformable, PLAIN, {"surface": [(0, 1, 9)]}, "triangle 0"),
        (Deformable, PLAIN, {"lines": [(0, -1)]}, "line 0"),
        (Elements, {"law": Spring(), "nodes": [(0, 1)], "data": [(1, 1, 0)]}, {"data": [(1, 1)]}, r"data is .*, expected a \(1, 3\) array"),
        (Elements, {"law": Spring(), "nodes": [(0, 1)], "data": [(1, 1, 0)]}, {"nodes": [(0, 1, 2)]}, r"an \(n, 2\) array"),
    ],
)
def test_sentences(make, good, change, says):
    make(**good)
    with pytest.raises(SceneError, match=says):
        make(**(good | change))
