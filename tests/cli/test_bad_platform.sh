#!/bin/sh
# Wrong platforms of our own: files, includes, dimensions and units. What is said, and status 2.
set -u

here=$(cd "$(dirname "$0")" && pwd)
. "$here/bad_input/own.sh"

# ---- files ----

refuses absent.yml w.yml <<'END'
absent.yml: cannot be opened: No such file or directory
END
refuses p.yml absent.yml <<'END'
absent.yml: cannot be opened: No such file or directory
END
refuses p.yml w.yml w.yml <<'END'
orrery run: unexpected argument w.yml
try 'orrery run --help'
END
platform '# nothing but a comment\n' <<'END'
x.yml: the file is empty; expected keys with values
END
platform '\n\n' <<'END'
x.yml: the file is empty; expected keys with values
END
platform '- network\n- workload\n' <<'END'
x.yml:1:1: expected a mapping of sections, got a list
END
platform '42\n' <<'END'
x.yml:1:1: expected a mapping of sections, got "42"
END
platform 'network: {dims: [\n' <<'END'
x.yml:2:1: syntax error: did not find expected node content while parsing a flow node
END
platform 'network:\n  dims:\n - ring\n' <<'END'
x.yml:3:2: syntax error: did not find expected key while parsing a block mapping
END
platform 'network: "ring\n' <<'END'
x.yml:2:1: syntax error: found unexpected end of stream while scanning a quoted scalar
END
platform 'network:\n\tdims: []\n' <<'END'
x.yml:2:1: syntax error: YAML is indented with spaces, not with a tab
END
platform 'network: {dims: []}\nnetwork: {dims: []}\n' <<'END'
x.yml:2:1: duplicate key "network": it is given already at line 1
END
platform 'network:\n  dims:\n    - {block: ring, npus: 4, npus: 8}\n' <<'END'
x.yml:3:30: duplicate key "npus": it is given already at line 3
END
platform 'network: {dims: []}\n---\nname: x\n' <<'END'
x.yml:2:1: expected one document, got a second
END
platform 'network: &n {dims: []}\n' <<'END'
x.yml:1:10: anchors (&name) are not supported
END
workload '' <<'END'
x.yml: the file is empty; expected keys with values
END

# ---- includes ----

file x.yml 'include: x.yml\n'
refuses x.yml w.yml <<'END'
x.yml:1:10: include: x.yml includes itself, directly or through others
END
file x.yml 'include: b.yml\n'
file b.yml 'include: [p.yml, c.yml]\n'
file c.yml 'include: x.yml\n'
refuses x.yml w.yml <<'END'
c.yml:1:10: include: x.yml includes itself, directly or through others
END
file x.yml 'include: absent.yml\n'
refuses x.yml w.yml <<'END'
absent.yml: cannot be opened: No such file or directory; included at x.yml:1:10
END
file x.yml 'include: [p.yml, folder/absent.yml]\n'
refuses x.yml w.yml <<'END'
folder/absent.yml: cannot be opened: No such file or directory; included at x.yml:1:18
END
file x.yml 'include: .\n'
refuses x.yml w.yml <<'END'
.: expected a file, got a directory; included at x.yml:1:10
END
file x.yml 'include: b.yml\n'
file b.yml ''
refuses x.yml w.yml <<'END'
b.yml: the file is empty; expected keys with values
END
file x.yml 'include: b.yml\n'
file b.yml '- 1\n'
refuses x.yml w.yml <<'END'
b.yml:1:1: expected a mapping of sections, got a list
END
file x.yml 'include: [p.yml, b.yml]\n'
file b.yml 'system: {chunk: 4}\n'
refuses x.yml w.yml <<'END'
b.yml:1:10: system.chunk: unknown key in the system section; did you mean "chunks"?
END
platform 'include:\n' <<'END'
x.yml:1:9: include: expected a text, got nothing
END
platform 'include: {file: p.yml}\n' <<'END'
x.yml:1:10: include: expected a text, got a mapping
END
platform 'include: [p.yml, [w.yml]]\n' <<'END'
x.yml:1:18: include[1]: expected a text, got a list
END
platform 'network: {include: p.yml}\n' <<'END'
x.yml:1:11: network.include: unknown key in the network section
END
file x.yml 'include: [p.yml, b.yml, c.yml]\n'
file b.yml 'system: {chunks: 4}\n'
file c.yml 'system: {chunks: 8}\n'
refuses x.yml w.yml <<'END'
c.yml:1:18: system.chunks is set by two files: here and at b.yml:1:18; remove one
END
file x.yml 'include: [p.yml, b.yml, c.yml]\n'
file b.yml 'system: {chunks: 4}\n'
file c.yml 'system: fast\n'
refuses x.yml w.yml <<'END'
c.yml:1:9: system is set by two files: here and at b.yml:1:9; remove one
END
file x.yml 'include: p.yml\nnetwork: {dims: 5}\n'
refuses x.yml w.yml <<'END'
x.yml:2:17: network.dims: expected a list, got "5"
END
file b.yml 'system: {chunks: 4}\nworkload: {generate: barrier}\n'
refuses b.yml w.yml <<'END'
w.yml:1:22: workload.generate is set by two files: here and at b.yml:2:22; remove one
END

# ---- sections ----

platform 'name: x\n' <<'END'
x.yml:1:1: a platform with its workload needs the key "network" (dimensions and links), such as network: {dims: [...]}
END
platform 'network:\n' <<'END'
x.yml:1:9: network: expected a mapping of keys to values, got nothing
END
platform 'network: []\n' <<'END'
x.yml:1:10: network: expected a mapping of keys to values, got an empty list
END
platform 'network: {dims: [{block: ring, npus: 4, bandwidth: 1 GB/s}]}\ntopology: R(4)\n' <<'END'
x.yml:2:1: topology: unknown key in a platform with its workload; expected include, name, set, network, system, memory, compute or workload
END
platform 'network: {dims: [{block: ring, npus: 4, bandwidth: 1 GB/s}]}\nsytem: {chunks: 4}\n' <<'END'
x.yml:2:1: sytem: unknown key in a platform with its workload; did you mean "system"?
END
platform 'network: {dims: [{block: ring, npus: 4, bandwidth: 1 GB/s}]}\nsystem:\n' <<'END'
x.yml:2:8: system: expected a mapping of keys to values, got nothing
END
platform 'network: {dims: [{block: ring, npus: 4, bandwidth: 1 GB/s}]}\nmemory: 80 GB\n' <<'END'
x.yml:2:9: memory: expected a mapping of keys to values, got "80 GB"
END
platform 'network: {dims: [{block: ring, npus: 4, bandwidth: 1 GB/s}]}\nmemory: {local: {size: 80 GB}}\n' <<'END'
x.yml:2:18: memory.local.size: unknown key in the local memory; expected bandwidth, latency, capacity or contention
END

# ---- dimensions ----

platform 'network: {dims: }\n' <<'END'
x.yml:1:17: network.dims: expected a list, got nothing
END
platform 'network: {dims: []}\n' <<'END'
x.yml:1:17: network.dims: expected a list of 1 to 32 entries, got 0
END
platform 'network: {dims: {block: ring}}\n' <<'END'
x.yml:1:17: network.dims: expected a list, got a mapping
END
platform 'network: {dims: [4]}\n' <<'END'
x.yml:1:18: network.dims[0]: expected a mapping of keys to values, got "4"
END
platform 'network: {dims: [{block: ring, npus: 1, bandwidth: 1 GB/s}, {block: ring, npus: 1, bandwidth: 1 GB/s}, {block: ring, npus: 1, bandwidth: 1 GB/s}, {block: ring, npus: 1, bandwidth: 1 GB/s}, {block: ring, npus: 1, bandwidth: 1 GB/s}, {block: ring, npus: 1, bandwidth: 1 GB/s}, {block: ring, npus: 1, bandwidth: 1 GB/s}, {block: ring, npus: 1, bandwidth: 1 GB/s}, {block: ring, npus: 1, bandwidth: 1 GB/s}, {block: ring, npus: 1, bandwidth: 1 GB/s}, {block: ring, npus: 1, bandwidth: 1 GB/s}, {block: ring, npus: 1, bandwidth: 1 GB/s}, {block: ring, npus: 1, bandwidth: 1 GB/s}, {block: ring, npus: 1, bandwidth: 1 GB/s}, {block: ring, npus: 1, bandwidth: 1 GB/s}, {block: ring, npus: 1, bandwidth: 1 GB/s}, {block: ring, npus: 1, bandwidth: 1 GB/s}, {block: ring, npus: 1, bandwidth: 1 GB/s}, {block: ring, npus: 1, bandwidth: 1 GB/s}, {block: ring, npus: 1, bandwidth: 1 GB/s}, {block: ring, npus: 1, bandwidth: 1 GB/s}, {block: ring, npus: 1, bandwidth: 1 GB/s}, {block: ring, npus: 1, bandwidth: 1 GB/s}, {block: ring, npus: 1, bandwidth: 1 GB/s}, {block: ring, npus: 1, bandwidth: 1 GB/s}, {block: ring, npus: 1, bandwidth: 1 GB/s}, {block: ring, npus: 1, bandwidth: 1 GB/s}, {block: ring, npus: 1, bandwidth: 1 GB/s}, {block: ring, npus: 1, bandwidth: 1 GB/s}, {block: ring, npus: 1, bandwidth: 1 GB/s}, {block: ring, npus: 1, bandwidth: 1 GB/s}, {block: ring, npus: 1, bandwidth: 1 GB/s}, {block: ring, npus: 1, bandwidth: 1 GB/s}]}\n' <<'END'
x.yml:1:17: network.dims: expected a list of 1 to 32 entries, got 33
END
platform 'network: {dims: [{block: ring, npus: 0, bandwidth: 1 GB/s}]}\n' <<'END'
x.yml:1:38: network.dims[0].npus: expected a whole number from 1 to 2147483647, got "0"
END
platform 'network: {dims: [{block: ring, npus: -4, bandwidth: 1 GB/s}]}\n' <<'END'
x.yml:1:38: network.dims[0].npus: expected a whole number from 1 to 2147483647, got "-4"
END
platform 'network: {dims: [{block: ring, npus: 4.0, bandwidth: 1 GB/s}]}\n' <<'END'
x.yml:1:38: network.dims[0].npus: expected a whole number from 1 to 2147483647, got "4.0"
END
platform 'network: {dims: [{block: ring, npus: 1e2, bandwidth: 1 GB/s}]}\n' <<'END'
x.yml:1:38: network.dims[0].npus: expected a whole number from 1 to 2147483647, got "1e2"
END
platform 'network: {dims: [{block: ring, npus: 0x10, bandwidth: 1 GB/s}]}\n' <<'END'
x.yml:1:38: network.dims[0].npus: expected a whole number from 1 to 2147483647, got "0x10"
END
platform 'network: {dims: [{block: ring, npus: 4 GPUs, bandwidth: 1 GB/s}]}\n' <<'END'
x.yml:1:38: network.dims[0].npus: expected a whole number from 1 to 2147483647, got "4 GPUs"
END
platform 'network: {dims: [{block: ring, npus: nan, bandwidth: 1 GB/s}]}\n' <<'END'
x.yml:1:38: network.dims[0].npus: expected a whole number from 1 to 2147483647, got "nan"
END
platform 'network: {dims: [{block: ring, npus: 99999999999, bandwidth: 1 GB/s}]}\n' <<'END'
x.yml:1:38: network.dims[0].npus: expected a whole number from 1 to 2147483647, got "99999999999"
END
platform 'network: {dims: [{block: ring, npus: 65536, bandwidth: 1 GB/s}, {block: ring, npus: 65536, bandwidth: 1 GB/s}]}\n' <<'END'
x.yml:1:17: network.dims: more than 2^31 NPUs together
END
platform 'network: {dims: [{block: torus, npus: 4, bandwidth: 1 GB/s}]}\n' <<'END'
x.yml:1:26: network.dims[0].block: expected ring, fully_connected, switch or mesh, got "torus"
END
platform 'network: {dims: [{block: Ring, npus: 4, bandwidth: 1 GB/s}]}\n' <<'END'
x.yml:1:26: network.dims[0].block: expected ring, fully_connected, switch or mesh, got "Ring"
END
platform 'network: {dims: [{npus: 4, bandwidth: 1 GB/s}]}\n' <<'END'
x.yml:1:18: network.dims[0]: a dimension needs the key "block" (building block), such as block: switch
END
platform 'network: {dims: [{block: ring, bandwidth: 1 GB/s}]}\n' <<'END'
x.yml:1:18: network.dims[0]: a dimension needs the key "npus" (NPUs along the dimension), such as npus: 8
END
platform 'network: {dims: [{block: ring, npus: 4}]}\n' <<'END'
x.yml:1:18: network.dims[0]: a dimension needs the key "bandwidth" (bandwidth, one way), such as bandwidth: 50 GB/s
END
platform 'network: {topology: "R(4)", dims: [{latency: 1 ns}]}\n' <<'END'
x.yml:1:36: network.dims[0]: a dimension whose shape network.topology gives needs the key "bandwidth" (bandwidth, one way), such as bandwidth: 50 GB/s
END
platform 'network: {topology: "R(4)", dims: [{block: ring, bandwidth: 1 GB/s}]}\n' <<'END'
x.yml:1:37: network.dims[0].block: unknown key in a dimension whose shape network.topology gives; expected bandwidth, latency, bandwidth_is or reduces
END
platform 'network: {topology: "R(4)_R(2)", dims: [{bandwidth: 1 GB/s}]}\n' <<'END'
x.yml:1:21: network.topology has 2 dimensions, but network.dims has 1
END
platform 'network: {topology: R(4)}\n' <<'END'
x.yml:1:10: network: the network section needs the key "dims" (the dimensions, the innermost first), such as dims: [{block: switch, npus: 8, bandwidth: 300 GB/s, latency: 500 ns}], or "topology" and "bandwidth", such as topology: Switch(8), bandwidth: 300 GB/s; or "graph", such as graph: {npus: 64, fabric: fat-tree, bandwidth: 100 Gb/s}
END
platform 'network: {topology: "", dims: [{bandwidth: 1 GB/s}]}\n' <<'END'
x.yml:1:21: topology: expected Ring, FC (FullyConnected), Switch or Mesh with a size, such as Ring(4)
  
  ^
END
platform 'network: {topology: "Ring", dims: [{bandwidth: 1 GB/s}]}\n' <<'END'
x.yml:1:21: topology: expected a size in parentheses, such as (4)
  Ring
      ^
END
platform 'network: {topology: "Ring(0)", dims: [{bandwidth: 1 GB/s}]}\n' <<'END'
x.yml:1:21: topology: expected a number of NPUs >= 1
  Ring(0)
       ^
END
platform 'network: {topology: "R(-4)", dims: [{bandwidth: 1 GB/s}]}\n' <<'END'
x.yml:1:21: topology: expected a number of NPUs >= 1
  R(-4)
    ^
END
platform 'network: {topology: "R(4)_", dims: [{bandwidth: 1 GB/s}]}\n' <<'END'
x.yml:1:21: topology: expected Ring, FC (FullyConnected), Switch or Mesh with a size, such as Ring(4)
  R(4)_
       ^
END
platform 'network: {topology: "R(4", dims: [{bandwidth: 1 GB/s}]}\n' <<'END'
x.yml:1:21: topology: expected a closing parenthesis
  R(4
     ^
END
platform 'network: {topology: "R(4)xR(2)", dims: [{bandwidth: 1 GB/s}]}\n' <<'END'
x.yml:1:21: topology: expected an underscore and the next dimension, or the end
  R(4)xR(2)
      ^
END
platform 'network: {topology: "R(4)_R(99999999999)", dims: [{bandwidth: 1 GB/s}]}\n' <<'END'
x.yml:1:21: topology: expected a number of NPUs >= 1
  R(4)_R(99999999999)
         ^
END
platform 'network: {topology: "R(1)_R(1)_R(1)_R(1)_R(1)_R(1)_R(1)_R(1)_R(1)_R(1)_R(1)_R(1)_R(1)_R(1)_R(1)_R(1)_R(1)_R(1)_R(1)_R(1)_R(1)_R(1)_R(1)_R(1)_R(1)_R(1)_R(1)_R(1)_R(1)_R(1)_R(1)_R(1)_R(1)", dims: [{bandwidth: 1 GB/s}]}\n' <<'END'
x.yml:1:21: topology: expected at most 32 dimensions
  R(1)_R(1)_R(1)_R(1)_R(1)_R(1)_R(1)_R(1)_R(1)_R(1)_R(1)_R(1)_R(1)_R(1)_R(1)_R(1)_R(1)_R(1)_R(1)_R(1)_R(1)_R(1)_R(1)_R(1)_R(1)_R(1)_R(1)_R(1)_R(1)_R(1)_R(1)_R(1)_R(1)
                                                                                                                                                                  ^
END

# ---- units ----

platform 'network: {dims: [{block: ring, npus: 4, bandwidth: "50 gbps"}]}\n' <<'END'
x.yml:1:52: network.dims[0].bandwidth: expected a positive bandwidth such as "50 GB/s", got "50 gbps"; "gbps" is none of the units B/s, kB/s, MB/s, GB/s, TB/s, KiB/s, MiB/s, GiB/s, TiB/s, b/s, kb/s, Mb/s, Gb/s or Tb/s; did you mean GB/s or Gb/s?
END
platform 'network: {dims: [{block: ring, npus: 4, bandwidth: "50 Gbit"}]}\n' <<'END'
x.yml:1:52: network.dims[0].bandwidth: expected a positive bandwidth such as "50 GB/s", got "50 Gbit"; "Gbit" is none of the units B/s, kB/s, MB/s, GB/s, TB/s, KiB/s, MiB/s, GiB/s, TiB/s, b/s, kb/s, Mb/s, Gb/s or Tb/s; did you mean Gbit/s?
END
platform 'network: {dims: [{block: ring, npus: 4, bandwidth: "50 GB"}]}\n' <<'END'
x.yml:1:52: network.dims[0].bandwidth: expected a positive bandwidth such as "50 GB/s", got "50 GB"; "GB" is none of the units B/s, kB/s, MB/s, GB/s, TB/s, KiB/s, MiB/s, GiB/s, TiB/s, b/s, kb/s, Mb/s, Gb/s or Tb/s; did you mean GB/s?
END
platform 'network: {dims: [{block: ring, npus: 4, bandwidth: "50GB/S"}]}\n' <<'END'
x.yml:1:52: network.dims[0].bandwidth: expected a positive bandwidth such as "50 GB/s", got "50GB/S"; "GB/S" is none of the units B/s, kB/s, MB/s, GB/s, TB/s, KiB/s, MiB/s, GiB/s, TiB/s, b/s, kb/s, Mb/s, Gb/s or Tb/s; did you mean GB/s or Gb/s?
END
platform 'network: {dims: [{block: ring, npus: 4, bandwidth: "50 GiBps"}]}\n' <<'END'
x.yml:1:52: network.dims[0].bandwidth: expected a positive bandwidth such as "50 GB/s", got "50 GiBps"; "GiBps" is none of the units B/s, kB/s, MB/s, GB/s, TB/s, KiB/s, MiB/s, GiB/s, TiB/s, b/s, kb/s, Mb/s, Gb/s or Tb/s; did you mean GiB/s?
END
platform 'network: {dims: [{block: ring, npus: 4, bandwidth: "50 ns"}]}\n' <<'END'
x.yml:1:52: network.dims[0].bandwidth: expected a positive bandwidth such as "50 GB/s", got "50 ns"; "ns" is none of the units B/s, kB/s, MB/s, GB/s, TB/s, KiB/s, MiB/s, GiB/s, TiB/s, b/s, kb/s, Mb/s, Gb/s or Tb/s
END
platform 'network: {dims: [{block: ring, npus: 4, bandwidth: "fifty GB/s"}]}\n' <<'END'
x.yml:1:52: network.dims[0].bandwidth: expected a positive bandwidth such as "50 GB/s", got "fifty GB/s"
END
platform 'network: {dims: [{block: ring, npus: 4, bandwidth: "NaN GB/s"}]}\n' <<'END'
x.yml:1:52: network.dims[0].bandwidth: expected a positive bandwidth such as "50 GB/s", got "NaN GB/s"
END
platform 'network: {dims: [{block: ring, npus: 4, bandwidth: "inf GB/s"}]}\n' <<'END'
x.yml:1:52: network.dims[0].bandwidth: expected a positive bandwidth such as "50 GB/s", got "inf GB/s"
END
platform 'network: {dims: [{block: ring, npus: 4, bandwidth: "1e400 GB/s"}]}\n' <<'END'
x.yml:1:52: network.dims[0].bandwidth: expected a positive bandwidth such as "50 GB/s", got "1e400 GB/s"; it is too large or too small
END
platform 'network: {dims: [{block: ring, npus: 4, bandwidth: "50,5 GB/s"}]}\n' <<'END'
x.yml:1:52: network.dims[0].bandwidth: expected a positive bandwidth such as "50 GB/s", got "50,5 GB/s"; ",5 GB/s" is none of the units B/s, kB/s, MB/s, GB/s, TB/s, KiB/s, MiB/s, GiB/s, TiB/s, b/s, kb/s, Mb/s, Gb/s or Tb/s
END
platform 'network: {dims: [{block: ring, npus: 4, bandwidth: "50 GB/s each"}]}\n' <<'END'
x.yml:1:52: network.dims[0].bandwidth: expected a positive bandwidth such as "50 GB/s", got "50 GB/s each"; "GB/s each" is none of the units B/s, kB/s, MB/s, GB/s, TB/s, KiB/s, MiB/s, GiB/s, TiB/s, b/s, kb/s, Mb/s, Gb/s or Tb/s; did you mean GB/s?
END
platform 'network: {dims: [{block: ring, npus: 4, bandwidth: "1 TiB/sec"}]}\n' <<'END'
x.yml:1:52: network.dims[0].bandwidth: expected a positive bandwidth such as "50 GB/s", got "1 TiB/sec"; "TiB/sec" is none of the units B/s, kB/s, MB/s, GB/s, TB/s, KiB/s, MiB/s, GiB/s, TiB/s, b/s, kb/s, Mb/s, Gb/s or Tb/s; did you mean TiB/s?
END
platform 'network: {dims: [{block: ring, npus: 4, bandwidth: 1 GB/s, latency: "0.5"}]}\n' <<'END'
x.yml:1:69: network.dims[0].latency: expected a time such as "500 ns", got "0.5"; a unit is missing: ps, ns, us, ms, s, min or h
END
platform 'network: {dims: [{block: ring, npus: 4, bandwidth: 1 GB/s, latency: "5 msec"}]}\n' <<'END'
x.yml:1:69: network.dims[0].latency: expected a time such as "500 ns", got "5 msec"; "msec" is none of the units ps, ns, us, ms, s, min or h; did you mean ms?
END
platform 'network: {dims: [{block: ring, npus: 4, bandwidth: 1 GB/s, latency: "5 \302\265s"}]}\n' <<'END'
x.yml:1:69: network.dims[0].latency: expected a time such as "500 ns", got "5 µs"; "µs" is none of the units ps, ns, us, ms, s, min or h; did you mean us?
END
platform 'network: {dims: [{block: ring, npus: 4, bandwidth: 1 GB/s, latency: "5 NS"}]}\n' <<'END'
x.yml:1:69: network.dims[0].latency: expected a time such as "500 ns", got "5 NS"; "NS" is none of the units ps, ns, us, ms, s, min or h; did you mean ns?
END
platform 'network: {dims: [{block: ring, npus: 4, bandwidth: 1 GB/s, latency: "1 day"}]}\n' <<'END'
x.yml:1:69: network.dims[0].latency: expected a time such as "500 ns", got "1 day"; "day" is none of the units ps, ns, us, ms, s, min or h
END
platform 'network: {dims: [{block: ring, npus: 4, bandwidth: 1 GB/s, latency: "nan ns"}]}\n' <<'END'
x.yml:1:69: network.dims[0].latency: expected a time such as "500 ns", got "nan ns"
END
platform 'network: {dims: [{block: ring, npus: 4, bandwidth: 1 GB/s, latency: ""}]}\n' <<'END'
x.yml:1:69: network.dims[0].latency: expected a time such as "500 ns", got ""
END
platform 'network: {dims: [{block: ring, npus: 4, bandwidth: 1 GB/s, latency: "107 day"}]}\n' <<'END'
x.yml:1:69: network.dims[0].latency: expected a time such as "500 ns", got "107 day"; "day" is none of the units ps, ns, us, ms, s, min or h
END
workload 'workload: {generate: all_reduce, bytes: "5 Gb"}\n' <<'END'
x.yml:1:41: workload.bytes: expected a size such as "1 MiB", got "5 Gb"; "Gb" is none of the units B, kB, MB, GB, TB, KiB, MiB, GiB or TiB; did you mean GB?
END
workload 'workload: {generate: all_reduce, bytes: "1.5 B"}\n' <<'END'
x.yml:1:41: workload.bytes: expected a size such as "1 MiB", got "1.5 B"; it is not a whole number of bytes
END
workload 'workload: {generate: all_reduce, bytes: "16 EiB"}\n' <<'END'
x.yml:1:41: workload.bytes: expected a size such as "1 MiB", got "16 EiB"; "EiB" is none of the units B, kB, MB, GB, TB, KiB, MiB, GiB or TiB
END
workload 'workload: {generate: all_reduce, bytes: "16777216 TiB"}\n' <<'END'
x.yml:1:41: workload.bytes: expected a size such as "1 MiB", got "16777216 TiB"; it is more than 2^64 - 1 bytes
END
workload 'workload: {generate: all_reduce, bytes: "0 B"}\n' <<'END'
x.yml:1:41: workload.bytes: expected a size above 0 such as "1 MiB"
END
workload 'workload: {generate: all_reduce, bytes: "1 M"}\n' <<'END'
x.yml:1:41: workload.bytes: expected a size such as "1 MiB", got "1 M"; "M" is none of the units B, kB, MB, GB, TB, KiB, MiB, GiB or TiB; did you mean MB or MiB?
END
workload 'workload: {generate: all_reduce, bytes: "1 MIB"}\n' <<'END'
x.yml:1:41: workload.bytes: expected a size such as "1 MiB", got "1 MIB"; "MIB" is none of the units B, kB, MB, GB, TB, KiB, MiB, GiB or TiB; did you mean MiB?
END
workload 'workload: {generate: all_reduce, bytes: "1024 bytes"}\n' <<'END'
x.yml:1:41: workload.bytes: expected a size such as "1 MiB", got "1024 bytes"; "bytes" is none of the units B, kB, MB, GB, TB, KiB, MiB, GiB or TiB
END
workload 'workload: {generate: all_reduce, bytes: [1 MiB]}\n' <<'END'
x.yml:1:41: workload.bytes: expected a size such as "1 MiB", got a list
END

finish
