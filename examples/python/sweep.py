"""100 points of two bandwidths, the fastest, and a plot: python3 examples/python/sweep.py [OUT.svg]"""
import sys

import orrery

platform, workload = orrery.Platform("dgx_a100_64"), orrery.Workload("mlp_data_parallel")
inner, outer = ([f"{speed} GB/s" for speed in range(step, 11 * step, step)] for step in (60, 10))
points = orrery.sweep(platform, workload, {"network.dims[0].bandwidth": inner, "network.dims[1].bandwidth": outer})
best = points.best()
print(f"{len(points)} points, the fastest takes {best.wall_ps * 1e-9:.3f} ms: {best[points.axes[0]]}, {best[points.axes[1]]}")
getattr(points.plot(points.axes[1]), "figure", points.plot(points.axes[1])).savefig(sys.argv[1] if len(sys.argv) > 1 else "points.svg")
