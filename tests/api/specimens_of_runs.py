"""A sensible call of what scenes, runs, simulations and dynamics are asked for, for random calls to spoil: as in specimens.py."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import redmax as rm
from api.worlds import Call, Fixture, World


def of_scenes() -> dict[str, Callable[[World], Call]]:
    """Methods of a scene."""
    sphere, cloth = rm.Sphere(0.1), rm.Cloth((1, 1), (2, 2), density=1.0, stretch=10.0)
    return {
        "Scene": lambda _: (rm.Scene, (), {"gravity": (0, 0, -9.81), "title": "t", "units": "m kg s"}),
        "add_body": lambda w: (
            w.scene.add_body, (sphere,),
            {"joint": rm.Revolute("z"), "parent": w.a, "at": (0, 0, 0), "com": (0.1, 0, 0), "name": "n", "joint_name": "j", "q": 0.1,
             "qdot": 0.1, "stiffness": 1.0, "damping": 1.0, "rest": 0.1, "torque": 1.0},
        ),
        "add_body on a motion": lambda w: (
            w.scene.add_body, (sphere,),
            {"joint": rm.Revolute("z"), "body": np.eye(4), "motion": lambda t: [t], "gain": 1.0, "velocity_gain": 1.0, "on_motion": True,
             "motion_level": "position", "check_joint": True, "torque": None},
        ),
        "add_body with a torque": lambda w: (
            w.scene.add_body, (sphere,), {"joint": rm.Revolute("z"), "com": (1, 0, 0), "torque": lambda t, q, qdot: -q},
        ),
        "add_frame": lambda w: (w.scene.add_frame, ("tool", w.a), {"pose": (1, 0, 0), "relative_to": "joint"}),
        "from_screws": lambda _: (
            rm.Scene.from_screws, ([(0, 0, 1, 0, 0, 0)], [(0, 0, 0)], [rm.Sphere(0.1)]),
            {"seen_from": "body", "centers": [(1, 0, 0)], "parents": [-1], "relative": True, "names": ["a"], "q": [0.1], "qdot": [1]},
        ),
        "from_screws of masses": lambda _: (
            rm.Scene.from_screws, ([(0, 0, 1, 0, 0, 0)], [(0, 0, 0)]),
            {"masses": [1.0], "inertias": [(1, 1, 1)], "gravity": (0, 0, -1), "title": "one"},
        ),
        "from_dh": lambda _: (
            rm.Scene.from_dh, ([(1, 0, 0, 0)], "R", [rm.Sphere(0.1)]),
            {"convention": "modified", "base": (0, 0, 1), "tool": (0, 0, 1), "parents": [-1], "names": ["a"], "q": [0.1]},
        ),
        "find_frame": lambda w: (w.scene.find_frame, (w.scene.add_frame("tool", w.a).name,), {}),
        "frame": lambda w: (w.a.frame, (np.eye(4),), {"relative_to": "body"}),
        "add_wrench at a frame": lambda w: (w.scene.add_wrench, (w.a.frame((1, 0, 0)),), {}),
        "add_wrench": lambda w: (w.scene.add_wrench, (w.a,), {"torque": (1, 0, 0), "force": lambda t: (t, 0, 0), "frame": "world"}),
        "add_obstacle": lambda w: (
            w.scene.add_obstacle, (rm.Cuboid((1, 1, 1)),),
            {"at": (0, 0, -3), "contact": 0.5, "name": "wall", "group": 1, "color": "tomato", "opacity": 0.5, "material": "metal"},
        ),
        "add_ground": lambda w: (w.scene.add_ground, (-2.0,), {"contact": rm.ContactMaterial(0.3), "name": "floor"}),
        "ignore_contact": lambda w: (w.scene.ignore_contact, (w.a, "lower"), {}),
        "set_contact": lambda w: (w.scene.set_contact, (1, 2, rm.ContactMaterial(0.3)), {}),
        "add_body that touches": lambda w: (w.scene.add_body, (sphere,), {"contact": True, "contact_group": 2}),
        "add_constraint": lambda w: (w.scene.add_constraint, (rm.Distance(w.b, (1, 0, 1)),), {}),
        "add_force": lambda w: (w.scene.add_force, (rm.PointSpring(w.a, (0, 0, 0), stiffness=1.0),), {}),
        "add_deformable": lambda w: (w.scene.add_deformable, (cloth,), {}),
        "prescribe_twist": lambda w: (w.scene.prescribe_twist, (w.a, [1], lambda t, R: [t]), {"acceleration": None}),
        "prescribe_twist to numbers": lambda w: (w.scene.prescribe_twist, (w.a, 1, 1.0), {}),
        "set_map": lambda w: (w.scene.set_map, (lambda q: [q[0], q[0]],), {"coordinates": 1, "q": 0.1, "qdot": 0.1}),
        "set_map to a matrix": lambda w: (w.scene.set_map, ([[1.0], [2.0]],), {"coordinates": 1, "q": [0.1], "qdot": None}),
        "find": lambda w: (w.scene.find, ("upper",), {}),
        "find_joint": lambda w: (w.scene.find_joint, ("upper",), {}),
        "Scene.save": lambda w: (w.scene.save, (w.folder / "saved.yaml",), {}),
        "scene picture": lambda w: (w.scene.picture, (w.folder / "p.png",), {"size": (40, 30), "camera": (10, 20), "theme": "dark"}),
    }  # fmt: skip


def tied(model: rm.Model) -> rm.Dynamics:
    """Of the same scene, with a constraint."""
    assert model.scene is not None
    scene = model.scene.copy()
    scene.add_constraint(rm.Distance(scene.find(model.body_names[-1]).point(0.1, 0, 0), (1.0, 2.0, 0.3), name="tie"))
    return rm.Dynamics(scene)


def of_runs(f: Fixture) -> dict[str, Callable[[World], Call]]:
    """Running, and what runs, simulations and dynamics are asked for."""
    q, zero = np.zeros(2), np.zeros(2)
    run, batch, sim, dyn, model, out = f.run, f.batch, f.simulation, f.dynamics, f.model, f.folder
    state, held = rm.State(0.0, q, zero), tied(model)
    return {
        "simulate": lambda _: (
            rm.simulate, (model, 0.02, 0.01),
            {"integrator": "euler", "dynamics": "recursive", "every": 1, "controller": None, "initial": state, "progress": None,
             "rtol": 1e-8, "solver": "auto", "stabilisation": "baumgarte", "halvings": 0, "backend": "llvm", "dtype": "float64"},
        ),
        "simulate to a file": lambda _: (
            rm.simulate, (model, 0.02, 0.01), {"integrator": "euler", "out": out / "out.h5", "store": ("energy",)},
        ),
        "simulate with a controller": lambda _: (
            rm.simulate, (model, 0.02, 0.01), {"integrator": "euler", "controller": lambda t, q, qdot: -q},
        ),
        "Simulation": lambda _: (
            rm.Simulation, (model,),
            {"dt": 0.01, "integrator": "euler", "dynamics": None, "initial": state, "controller": lambda t, q, qdot: -q, "rtol": 1e-6},
        ),
        "step": lambda _: (sim.step, (1,), {"tau": [0.0, 0.0]}),
        "reset": lambda _: (sim.reset, (state,), {}),
        "restore": lambda _: (sim.restore, (sim.checkpoint(),), {}),
        "State": lambda _: (sim.reset, (rm.State(0.0, q, zero, {}),), {}),
        "EulerPoincare": lambda _: (
            rm.EulerPoincare, (lambda E, v: 0.5 * (v @ v) - E[2, 3],),
            {"group": "SE3", "constraint": lambda E: E[0, 3], "joints": [(rm.Planar(), None, 0)]},
        ),
        "EulerPoincare.simulate": lambda _: (
            rm.EulerPoincare(lambda E, v: 0.5 * (v @ v) - E[2, 3]).simulate, (np.eye(4), np.ones(6), 0.02, 0.01), {"index": 2, "rho": 0.5},
        ),
        "EulerPoincare.accelerations": lambda _: (
            rm.EulerPoincare(lambda E, v: 0.5 * (v @ v) - E[2, 3]).accelerations, (np.eye(4), np.ones(6)), {"t": 0.0},
        ),
        "Dynamics": lambda _: (rm.Dynamics, (model, "llvm", "float64"), {}),
        "forward": lambda _: (dyn.forward, (q, zero), {"tau": zero, "wrench": None, "t": 0.0}),
        "forward with wrench": lambda _: (dyn.forward, (q, zero), {"tau": zero, "wrench": np.zeros((2, 6)), "t": 0.0}),
        "hybrid": lambda _: (dyn.hybrid, (q, zero), {"tau": zero, "qddot": zero, "t": 0.0}),
        "inverse": lambda _: (dyn.inverse, (q, zero, zero), {"t": 0.0}),
        "reactions of dynamics": lambda _: (dyn.reactions, (q, zero, zero), {"t": 0.0}),
        "inertia": lambda _: (dyn.inertia, (q,), {"t": 0.0}),
        "inverse_inertia": lambda _: (dyn.inverse_inertia, (q,), {"t": 0.0}),
        "inertia_product": lambda _: (dyn.inertia_product, (q, zero), {"joint_terms": zero, "body_terms": np.zeros((2, 6, 6))}),
        "inverse_inertia_product": lambda _: (dyn.inverse_inertia_product, (q, zero), {"joint_terms": None, "t": 0.0}),
        "jacobian": lambda _: (dyn.jacobian, (q,), {"qdot": zero, "sparse": False, "t": 0.0}),
        "pose": lambda _: (dyn.pose, (q, "upper"), {"t": 0.0}),
        "twist": lambda _: (dyn.twist, (q, zero, "upper"), {"kind": "hybrid", "t": 0.0}),
        "acceleration": lambda _: (dyn.acceleration, (q, zero, zero, "upper"), {"kind": "mixed", "classical": True, "t": 0.0}),
        "jacobian of a frame": lambda _: (dyn.jacobian, (q,), {"qdot": zero, "t": 0.0, "of": "upper.joint", "kind": "spatial"}),
        "jacobian_product": lambda _: (dyn.jacobian_product, (q, zero, zero), {"t": 0.0}),
        "jacobian_transposed_product": lambda _: (dyn.jacobian_transposed_product, (q, np.zeros((2, 6))), {"t": 0.0}),
        "drift": lambda _: (dyn.drift, (q, zero), {"t": 0.0}),
        "observe": lambda _: (dyn.observe, (q, zero), {"t": 0.0}),
        "centroidal": lambda _: (dyn.centroidal, (q, zero, zero), {"t": 0.0, "body": model.body_names[0]}),
        "total_mass": lambda _: (dyn.total_mass, (), {"body": model.body_names[0]}),
        "center_of_mass_jacobian": lambda _: (dyn.center_of_mass_jacobian, (q, zero), {"t": 0.0, "body": None}),
        "gravity_forces": lambda _: (dyn.gravity_forces, (q,), {"t": 0.0}),
        "coriolis_matrix": lambda _: (dyn.coriolis_matrix, (q, zero), {"t": 0.0, "form": "skew"}),
        "christoffel_symbols": lambda _: (dyn.christoffel_symbols, (q,), {"t": 0.0, "kind": "second"}),
        "inertia_derivative": lambda _: (dyn.inertia_derivative, (q,), {"t": 0.0}),
        "inverse_inertia_derivative": lambda _: (dyn.inverse_inertia_derivative, (q,), {"t": 0.0}),
        "jacobian_derivative": lambda _: (dyn.jacobian_derivative, (q, [0, "lower"]), {"of": "upper", "kind": "spatial", "t": 0.0}),
        "jacobian_rates": lambda _: (dyn.jacobian_rates, (q, [zero, zero]), {"of": None, "kind": "body", "t": 0.0}),
        "linearize_inverse": lambda _: (dyn.linearize_inverse, (q, zero, zero), {"wrench": np.zeros((2, 6)), "t": 0.0}),
        "linearize_forward": lambda _: (dyn.linearize_forward, (q, zero), {"tau": zero, "wrench": None, "t": 0.0}),
        "forward_derivatives": lambda _: (dyn.forward_derivatives, (q, zero), {"tau": zero, "wrench": np.zeros((2, 6)), "t": 0.0}),
        "inverse_derivatives": lambda _: (dyn.inverse_derivatives, (q, zero, zero), {"wrench": None, "t": 0.0}),
        "forward_jvp": lambda _: (dyn.forward_jvp, (q, zero), {"tau": None, "wrench": None, "t": 0.0, "along": {"q": zero, "t": 1.0}}),
        "inverse_jvp": lambda _: (dyn.inverse_jvp, (q, zero, zero), {"wrench": None, "t": 0.0, "along": {"qddot": zero}}),
        "forward_vjp": lambda _: (dyn.forward_vjp, (q, zero, zero, zero), {"wrench": np.zeros((2, 6)), "t": 0.0}),
        "inverse_vjp": lambda _: (dyn.inverse_vjp, (q, zero, zero, zero), {"wrench": None, "t": 0.0}),
        "forward_hessian": lambda _: (dyn.forward_hessian, (q, zero, zero, zero), {"wrench": None, "t": 0.0}),
        "inverse_hessian": lambda _: (dyn.inverse_hessian, (q, zero, zero, zero), {"wrench": None, "t": 0.0}),
        "forward_hvp": lambda _: (dyn.forward_hvp, (q, zero, zero, zero), {"wrench": None, "t": 0.0, "along": {"q": zero}}),
        "inverse_hvp": lambda _: (dyn.inverse_hvp, (q, zero, zero, zero), {"wrench": None, "t": 0.0, "along": {"qdot": zero}}),
        "inverse_rate": lambda _: (dyn.inverse_rate, (q, zero, zero, zero), {"wrench": None, "wrench_rate": np.zeros((2, 6)), "t": 0.0}),
        "system_matrices": lambda _: (dyn.system_matrices, (q, zero), {"t": 0.0}),
        "nonlinear_effects": lambda _: (dyn.nonlinear_effects, (q, zero), {"t": 0.0}),
        "constraint_gap": lambda _: (held.constraint_gap, (q,), {"name": "tie", "t": 0.0}),
        "constraint_rate": lambda _: (held.constraint_rate, (q, zero), {"name": None, "t": 0.0}),
        "constraint_jacobian": lambda _: (held.constraint_jacobian, (q,), {"name": "tie", "t": 0.0}),
        "multipliers": lambda _: (held.multipliers, (q, zero), {"tau": zero, "wrench": None, "t": 0.0, "name": "tie"}),
        "constraint": lambda _: (held.constraint, ("tie", q), {"qdot": zero, "tau": None, "t": 0.0}),
        "inverse with multipliers": lambda _: (held.inverse, (q, zero, zero), {"multipliers": [1.0]}),
        "inverse_driven": lambda _: (held.inverse_driven, (q, zero, zero, ["upper"]), {"t": 0.0}),
        "mobility": lambda _: (held.mobility, (q,), {"t": 0.0}),
        "run.constraint": lambda _: (run.constraint, ("x",), {}),
        "index": lambda _: (model.index, ("upper",), {}),
        "q_slice": lambda _: (model.q_slice, ("upper",), {}),
        "v_slice": lambda _: (model.v_slice, ("upper",), {}),
        "joint_of": lambda _: (model.joint_of, (0,), {}),
        "with_prescribed": lambda _: (model.with_prescribed, (["upper"],), {}),
        "run.pose": lambda _: (run.pose, ("upper",), {}),
        "run.twist": lambda _: (run.twist, ("upper",), {"kind": "hybrid"}),
        "run.acceleration": lambda _: (run.acceleration, ("upper",), {"kind": "body", "classical": False}),
        "run.jacobian": lambda _: (run.jacobian, ("upper",), {"kind": "body"}),
        "run.reaction": lambda _: (run.reaction, ("upper",), {}),
        "run.coordinates": lambda _: (run.coordinates, ("upper",), {}),
        "run.chart": lambda _: (run.chart, ("upper",), {}),
        "run.prescribed_wrench": lambda _: (run.prescribed_wrench, ("upper",), {}),
        "run.state": lambda _: (run.state, (1,), {}),
        "run.world": lambda _: (batch.world, (0,), {}),
        "run[...]": lambda _: (run.__getitem__, (slice(0, 2),), {}),
        "run.force": lambda _: (run.force, ("x",), {}),
        "run.nodes": lambda _: (run.nodes, ("x",), {}),
        "run.plot": lambda _: (run.plot, (out / "e.png",), {"what": "energy", "joints": None}),
        "run.html": lambda _: (run.html, (out / "r.html",), {}),
        "run.picture": lambda _: (run.picture, (out / "r.png",), {"t": 0.01, "size": (40, 30), "camera": (10, 20), "fit": "run"}),
        "run.film": lambda _: (
            run.film, (out / "r.gif",), {"size": (40, 30), "fps": 10.0, "speed": 1.0, "start": 0.0, "end": 0.02, "marks": False},
        ),
        "run.save": lambda _: (run.save, (out / "saved.h5",), {"store": ("energy",)}),
        "run.to_csv": lambda _: (run.to_csv, (out / "r.csv",), {"what": ("q",)}),
        "run.to_pandas": lambda _: (run.to_pandas, (), {"what": ("q",)}),
        "load": lambda _: (rm.load, (f.result,), {"scene": None}),
        "Scene.load": lambda _: (rm.Scene.load, (f.file,), {"parameters": {}}),
    }  # fmt: skip
