#!/bin/sh
# Wrong sections of a platform but its network, wrong workloads, and wrong values of --set. What is
# said, and status 2.
set -u

here=$(cd "$(dirname "$0")" && pwd)
. "$here/bad_input/own.sh"

"$ORRERY_BIN" gen all_reduce --npus 2 --bytes "1 MiB" --output two >/dev/null || exit 1 # for too few ranks

# ---- system, memory, compute ----

platform 'network: {dims: [{block: ring, npus: 4, bandwidth: 1 GB/s}]}\nsystem: {chunks: 0}\n' <<'END'
x.yml:2:18: system.chunks: expected a whole number from 1 to 4096, got "0"
END
platform 'network: {dims: [{block: ring, npus: 4, bandwidth: 1 GB/s}]}\nsystem: {chunks: 1 MiB}\n' <<'END'
x.yml:2:18: system.chunks: expected a whole number from 1 to 4096, got "1 MiB"
END
platform 'network: {dims: [{block: ring, npus: 4, bandwidth: 1 GB/s}]}\nsystem: {algorithms: {all_reduce: rign}}\n' <<'END'
x.yml:2:35: system.algorithms.all_reduce: expected one of 15 names such as ring, got "rign"
END
platform 'network: {dims: [{block: ring, npus: 4, bandwidth: 1 GB/s}]}\nsystem: {algorithms: {all_reduce: [ring, direct]}}\n' <<'END'
x.yml:2:35: system.algorithms.all_reduce: expected one algorithm, or a list of 1, got a list
END
platform 'network: {dims: [{block: ring, npus: 4, bandwidth: 1 GB/s}]}\nsystem: {algorithms: {all_reduce: []}}\n' <<'END'
x.yml:2:35: system.algorithms.all_reduce: expected a list of 1 to 32 entries, got 0
END
platform 'network: {dims: [{block: ring, npus: 4, bandwidth: 1 GB/s}]}\nsystem: {algorithms: {allreduce: ring}}\n' <<'END'
x.yml:2:23: system.algorithms.allreduce: unknown key in system.algorithms; did you mean "all_reduce"?
END
platform 'network: {dims: [{block: ring, npus: 4, bandwidth: 1 GB/s}]}\nsystem: {algorithms: {gather: ring}}\n' <<'END'
x.yml:2:23: system.algorithms.gather: unknown key in system.algorithms; expected all_reduce, all_gather, reduce_scatter, all_to_all, broadcast, reduce or default
END
platform 'network: {dims: [{block: ring, npus: 4, bandwidth: 1 GB/s}]}\nsystem: {algorithms: ring}\n' <<'END'
x.yml:2:22: system.algorithms: expected a mapping of keys to values, got "ring"
END
platform 'network: {dims: [{block: ring, npus: 4, bandwidth: 1 GB/s}]}\nsystem: {priority: random}\n' <<'END'
x.yml:2:20: system.priority: expected lifo, fifo or explicit, got "random"
END
platform 'network: {dims: [{block: ring, npus: 4, bandwidth: 1 GB/s}]}\nsystem: {all_reduce: ring}\n' <<'END'
x.yml:2:22: system.all_reduce: expected per_dimension or hierarchical, got "ring"
END
platform 'network: {dims: [{block: ring, npus: 4, bandwidth: 1 GB/s}]}\nmemory: {remote: {type: pool}}\n' <<'END'
x.yml:2:18: memory.remote: a remote memory needs the key "bandwidth", such as bandwidth: 100 GB/s
END
platform 'network: {dims: [{block: ring, npus: 4, bandwidth: 1 GB/s}]}\nmemory: {remote: {type: pools, bandwidth: 1 GB/s}}\n' <<'END'
x.yml:2:25: memory.remote.type: expected none, per_npu, per_node or pool, got "pools"
END
platform 'network: {dims: [{block: ring, npus: 4, bandwidth: 1 GB/s}]}\nmemory: {remote: {type: per_node, bandwidth: 1 GB/s}}\n' <<'END'
x.yml:2:18: memory: 1 nodes of 1 NPUs hold 1 NPUs, but the network has 4; nodes x npus_per_node must cover them
END
platform 'network: {dims: [{block: ring, npus: 4, bandwidth: 1 GB/s}]}\nmemory: {remote: {type: pool, bandwidth: 1 GB/s, nodes: 0}}\n' <<'END'
x.yml:2:57: memory.remote.nodes: expected a whole number from 1 to 2147483647, got "0"
END
platform 'network: {dims: [{block: ring, npus: 4, bandwidth: 1 GB/s}]}\ncompute: {}\n' <<'END'
x.yml:2:10: compute: a roofline needs the key "peak", such as peak: 312 TFLOP/s (or set mode: replay)
END
platform 'network: {dims: [{block: ring, npus: 4, bandwidth: 1 GB/s}]}\ncompute: {peak: 1 TFLOPS, efficiency: 85}\n' <<'END'
x.yml:2:39: compute.efficiency: expected a number from 0.001 to 1, got "85"
END
platform 'network: {dims: [{block: ring, npus: 4, bandwidth: 1 GB/s}]}\ncompute: {peak: 1 TFLOPS, efficiency: 85%%}\n' <<'END'
x.yml:2:39: compute.efficiency: expected a number from 0.001 to 1, got "85%"
END
platform 'network: {dims: [{block: ring, npus: 4, bandwidth: 1 GB/s}]}\ncompute: {peak: 1 TFLOPS, efficiency: .nan}\n' <<'END'
x.yml:2:39: compute.efficiency: expected a number from 0.001 to 1, got ".nan"
END
platform 'network: {dims: [{block: ring, npus: 4, bandwidth: 1 GB/s}]}\ncompute: {peak: 1 TFLOPS, alignment: 0}\n' <<'END'
x.yml:2:38: compute.alignment: expected a number from 0.001 to 1, got "0"
END
platform 'network: {dims: [{block: ring, npus: 4, bandwidth: 1 GB/s}]}\ncompute: {peak: 1 TFLOPS, alignment: 2}\n' <<'END'
x.yml:2:38: compute.alignment: expected a number from 0.001 to 1, got "2"
END
platform 'network: {dims: [{block: ring, npus: 4, bandwidth: 1 GB/s}]}\ncompute: {peak: 1 TFLOPS, fp8_peak: 1979}\n' <<'END'
x.yml:2:37: compute.fp8_peak: expected a positive rate such as "312 TFLOP/s", got "1979"; a unit is missing: FLOP/s, MFLOP/s, GFLOP/s, TFLOP/s or PFLOP/s
END
platform 'network: {dims: [{block: ring, npus: 4, bandwidth: 1 GB/s}]}\ncompute: {peak: 1 TFLOPS, fp8_peak: 0 TFLOP/s}\n' <<'END'
x.yml:2:37: compute.fp8_peak: expected a positive rate such as "312 TFLOP/s", got "0 TFLOP/s"; it is zero
END
platform 'network: {dims: [{block: ring, npus: 4, bandwidth: 1 GB/s}]}\ncompute: {peak: 1 TFLOPS, efficiency: [{kind: gemm, scope: layer}]}\n' <<'END'
x.yml:2:60: compute.efficiency[0].scope: expected operator, because only the kind default may be of whole layers, got "layer"
END
platform 'network: {dims: [{block: ring, npus: 4, bandwidth: 1 GB/s}]}\ncompute: {peak: 1 TFLOPS, efficiency: [{kind: default, constant: -1 us}]}\n' <<'END'
x.yml:2:66: compute.efficiency[0].constant: expected a time such as "500 ns", got "-1 us"; it is negative
END
platform 'network: {dims: [{block: ring, npus: 4, bandwidth: 1 GB/s}]}\ncompute: {peak: 312}\n' <<'END'
x.yml:2:17: compute.peak: expected a positive rate such as "312 TFLOP/s", got "312"; a unit is missing: FLOP/s, MFLOP/s, GFLOP/s, TFLOP/s or PFLOP/s
END
platform 'network: {dims: [{block: ring, npus: 4, bandwidth: 1 GB/s}]}\ncompute: {peak: 312 TFLOP}\n' <<'END'
x.yml:2:17: compute.peak: expected a positive rate such as "312 TFLOP/s", got "312 TFLOP"; "TFLOP" is none of the units FLOP/s, MFLOP/s, GFLOP/s, TFLOP/s or PFLOP/s; did you mean TFLOP/s or TFLOPS?
END
platform 'network: {dims: [{block: ring, npus: 4, bandwidth: 1 GB/s}]}\ncompute: {peak: 312 tflops}\n' <<'END'
x.yml:2:17: compute.peak: expected a positive rate such as "312 TFLOP/s", got "312 tflops"; "tflops" is none of the units FLOP/s, MFLOP/s, GFLOP/s, TFLOP/s or PFLOP/s; did you mean TFLOPS?
END
platform 'network: {dims: [{block: ring, npus: 4, bandwidth: 1 GB/s}]}\ncompute: {peak: -1 TFLOPS}\n' <<'END'
x.yml:2:17: compute.peak: expected a positive rate such as "312 TFLOP/s", got "-1 TFLOPS"; it is negative
END
platform 'network: {dims: [{block: ring, npus: 4, bandwidth: 1 GB/s}]}\ncompute: {mode: rooflin, peak: 1 TFLOPS}\n' <<'END'
x.yml:2:17: compute.mode: expected replay or roofline, got "rooflin"
END
platform 'network: {dims: [{block: ring, npus: 4, bandwidth: 1 GB/s}]}\ncompute: {peak: 1 TFLOPS, replay_only: yes}\n' <<'END'
x.yml:2:40: compute.replay_only: expected true or false, got "yes"
END

# ---- workloads ----

workload 'workload: {}\n' <<'END'
x.yml:1:11: workload: expected one of the keys "traces" (a prefix of files), "taskgraph" (a file), "model" (a graph of operators), "generate" (a generator such as all_reduce) and "transformer", "dlrm" or "cnn" (a model), got none
END
workload 'workload: {bytes: 1 MiB}\n' <<'END'
x.yml:1:11: workload: expected one of the keys "traces" (a prefix of files), "taskgraph" (a file), "model" (a graph of operators), "generate" (a generator such as all_reduce) and "transformer", "dlrm" or "cnn" (a model), got none
END
workload 'workload: {generate: barrier, traces: x}\n' <<'END'
x.yml:1:11: workload: expected one of the keys "traces" (a prefix of files), "taskgraph" (a file), "model" (a graph of operators), "generate" (a generator such as all_reduce) and "transformer", "dlrm" or "cnn" (a model), got both "traces" and "generate"
END
workload 'workload: {generate: all_reduce}\n' <<'END'
x.yml:1:22: workload.generate: all_reduce needs the key "bytes" (generate: size of the collective; mlp: parameters of a layer), such as bytes: 1 MiB
END
workload 'workload: {generate: broadcast, bytes: 1 MiB, root: 4}\n' <<'END'
x.yml:1:53: workload.root: expected a rank from 0 to 3, got 4
END
workload 'workload: {generate: all_reduce, bytes: 1 MiB, repeat: 0}\n' <<'END'
x.yml:1:56: workload.repeat: expected a whole number from 1 to 1000000, got "0"
END
workload 'workload: {generate: all_reduce, bytes: 1 MiB, repeat: 2.5}\n' <<'END'
x.yml:1:56: workload.repeat: expected a whole number from 1 to 1000000, got "2.5"
END
workload 'workload: {generate: mlp, bytes: 1 MiB, repeat: 1000000, layers: 1000000}\n' <<'END'
x.yml:1:22: workload.generate: repeat times layers: expected at most 100000000, got 1000000000000
END
workload 'workload: {generate: mlp, bytes: 1 MiB, forward_flops: 1e300}\n' <<'END'
x.yml:1:56: workload.forward_flops: expected a number from 0 to 9e+18, got "1e300"
END
workload 'workload: {generate: mlp, bytes: 1 MiB, forward_flops: inf}\n' <<'END'
x.yml:1:56: workload.forward_flops: expected a number from 0 to 9e+18, got "inf"
END
workload 'workload: {generate: mlp, bytes: 1 MiB, optimizer: adam}\n' <<'END'
x.yml:1:52: workload.optimizer: expected true or false, got "adam"
END
workload 'workload: {generate: mlp, bytes: 1 MiB}\n' <<'END'
x.yml:1:22: workload.generate: mlp computes, but the platform has no compute section, such as compute: {peak: 312 TFLOP/s} (or, for computations that take no time, compute: {mode: replay})
END
workload 'workload: {generate: p2p, bytes: 1 MiB, forward_flops: 1e9}\n' <<'END'
x.yml:1:22: workload.generate: p2p computes, but the platform has no compute section, such as compute: {peak: 312 TFLOP/s} (or, for computations that take no time, compute: {mode: replay})
END
workload 'workload: {traces: absent/prefix}\n' <<'END'
x.yml:1:20: rank 0: no file absent/prefix.0.et or absent/prefix.0.et.gz, nor of any other rank, nor a file absent/prefix for all; expected one for each of the 4 NPUs of the platform
END
workload 'workload: {traces: .}\n' <<'END'
x.yml:1:20: rank 0: no file ..0.et or ..0.et.gz, nor of any other rank, nor a file . for all; expected one for each of the 4 NPUs of the platform
END
workload 'workload: {traces: [a, b]}\n' <<'END'
x.yml:1:20: workload.traces: expected a text, got a list
END
workload 'workload: {traces: two}\n' <<'END'
x.yml:1:20: rank 2: no file two.2.et or two.2.et.gz; found ranks 0-1; expected one for each of the 4 NPUs of the platform
END
workload 'workload: {generate: barrier, groups: {a: []}}\n' <<'END'
x.yml:1:43: workload.groups.a: expected a list of ranks, got an empty list
END
workload 'workload: {generate: barrier, groups: {a: [0, 4]}}\n' <<'END'
x.yml:1:43: communicator group "a": rank 4 does not exist; the platform has the ranks 0 to 3
END
workload 'workload: {generate: barrier, groups: {a: [0, 0]}}\n' <<'END'
x.yml:1:43: communicator group "a": rank 0 is listed twice
END
workload 'workload: {generate: barrier, groups: {a: [-1]}}\n' <<'END'
x.yml:1:44: workload.groups.a[0]: expected a whole number from 0 to 4294967295, got "-1"
END
workload 'workload: {generate: barrier, groups: {a: [zero]}}\n' <<'END'
x.yml:1:44: workload.groups.a[0]: expected a whole number from 0 to 4294967295, got "zero"
END
workload 'workload: {generate: barrier, groups: [0, 1]}\n' <<'END'
x.yml:1:39: workload.groups: expected a mapping of group names to lists of ranks, got a list
END
workload 'workload: {generate: barrier, groups: {a: 0-3}}\n' <<'END'
x.yml:1:43: workload.groups.a: expected a list of ranks, got "0-3"
END
workload 'workload: {generate: barrier, tokens: -1}\n' <<'END'
x.yml:1:39: workload.tokens: expected a number >= 0, got "-1"
END
workload 'workload: {generate: barrier, tokens: many}\n' <<'END'
x.yml:1:39: workload.tokens: expected a number >= 0, got "many"
END
workload 'workload: {generate: barrier, epochs: 3}\n' <<'END'
x.yml:1:31: workload.epochs: unknown key in the workload section
END
workload 'workload: {generate: barrier, layer: 3}\n' <<'END'
x.yml:1:31: workload.layer: unknown key in the workload section; did you mean "layers"?
END
file x.yml 'network: {dims: [{block: ring, npus: 1, bandwidth: 1 GB/s}]}\n'
file b.yml 'workload: {generate: p2p, bytes: 1 MiB}\n'
refuses x.yml b.yml <<'END'
b.yml:1:22: workload.generate: npus: expected at least 2, got 1
END
refuses w.yml <<'END'
w.yml:1:1: a platform with its workload needs the key "network" (dimensions and links), such as network: {dims: [...]}
END
refuses p.yml p.yml <<'END'
p.yml:1:1: a platform with its workload needs the key "workload" (what to run; in a file of its own as a rule), such as workload: {generate: all_reduce, bytes: 1 GB}
END

# ---- values on the command line ----

refuses p.yml w.yml --set network <<'END'
--set: expected PATH=VALUE, such as network.dims[1].bandwidth=100GB/s, got "network"
END
refuses p.yml w.yml --set '=1' <<'END'
--set: expected PATH=VALUE, such as network.dims[1].bandwidth=100GB/s, got "=1"
END
refuses p.yml w.yml --set 'system.chunks=' <<'END'
--set system.chunks: a value is missing after the =
END
refuses p.yml w.yml --set 'network.dims[-1].npus=2' <<'END'
--set network.dims[-1].npus: expected an index such as [1]
END
refuses p.yml w.yml --set 'network.dims[x].npus=2' <<'END'
--set network.dims[x].npus: expected an index such as [1]
END
refuses p.yml w.yml --set 'network.dims[0.npus=2' <<'END'
--set network.dims[0.npus: expected an index such as [1]
END
refuses p.yml w.yml --set 'network.dims[99999999999999].npus=2' <<'END'
--set network.dims[99999999999999].npus: expected an index such as [1]
END
refuses p.yml w.yml --set 'network.dims[0]npus=2' <<'END'
--set network.dims[0]npus: expected a dot after the index, such as [1].bandwidth
END
refuses p.yml w.yml --set 'network[0]=2' <<'END'
--set network[0]: network is not a list, so it has no entry 0
END
refuses p.yml w.yml --set 'network.dims.npus=2' <<'END'
--set network.dims.npus: network.dims is a list: name an entry, such as network.dims[0].npus
END
refuses p.yml w.yml --set 'network..dims=2' <<'END'
--set network..dims: expected a path such as network.dims[1].bandwidth
END
refuses p.yml w.yml --set 'network.=2' <<'END'
--set network.: expected a path such as network.dims[1].bandwidth
END
refuses p.yml w.yml --set 'network.dims[0].npus.x=2' <<'END'
--set network.dims[0].npus.x: network.dims[0].npus is not a mapping, so it has no key "x"
END
refuses p.yml w.yml --set 'system.chunks=many' <<'END'
--set: system.chunks: expected a whole number from 1 to 4096, got "many"
END
refuses p.yml w.yml --set 'system.chunks=[1' <<'END'
--set: syntax error: did not find expected ',' or ']' while parsing a flow sequence; in --set system.chunks=[1
END
refuses p.yml w.yml --set 'system={chunks: x}' <<'END'
--set: system.chunks: expected a whole number from 1 to 4096, got "x"
END
refuses p.yml w.yml --set 'sytem.chunks=2' <<'END'
--set: sytem: unknown key in a platform with its workload; did you mean "system"?
END
refuses p.yml w.yml --set 'system.chunks =4' <<'END'
--set: system.chunks : unknown key in the system section; did you mean "chunks"?
END
refuses p.yml w.yml --set 'network.dims[0].latency=5' <<'END'
--set: network.dims[0].latency: expected a time such as "500 ns", got "5"; a unit is missing: ps, ns, us, ms, s, min or h
END
refuses p.yml w.yml --set 'network.dims=[]' <<'END'
--set: network.dims: expected a list of 1 to 32 entries, got 0
END
refuses p.yml w.yml --set 'network=ring' <<'END'
--set: network: expected a mapping of keys to values, got "ring"
END
refuses p.yml w.yml --set 'include=p.yml' <<'END'
--set: include: only a file can include others
END
refuses p.yml w.yml --set 'network.dims[0].bandwith=2 GB/s' <<'END'
--set: network.dims[0].bandwith: unknown key in a dimension; did you mean "bandwidth"?
END
refuses p.yml w.yml --set 'system.chunks=4' --set 'system.chunks=0' <<'END'
--set: system.chunks: expected a whole number from 1 to 4096, got "0"
END
refuses p.yml w.yml --set <<'END'
orrery run: an option needs a value: --set PATH=VALUE
try 'orrery run --help'
END

finish
