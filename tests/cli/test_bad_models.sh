#!/bin/sh
# Wrong recommendation models and convolutional networks, and ways to cut and train them that they
# do not have. What is said, and status 2.
set -u

here=$(cd "$(dirname "$0")" && pwd)
. "$here/bad_input/own.sh"
printf 'compute: {peak: 1 TFLOP/s}\n' >>p.yml

# ---- recommendation models ----

workload 'workload: {dlrm: {rows: 9, embedding: 4, dense: 3, bottom: [4], top: [1]}}\n' <<'END'
x.yml:1:18: workload.dlrm: the dlrm section needs the key "tables" (embedding tables, one for each sparse feature), such as tables: 26
END
workload 'workload: {dlrm: {tables: 4, rows: 9, embedding: 4, dense: 3, top: [1]}}\n' <<'END'
x.yml:1:18: workload.dlrm: the dlrm section needs the key "bottom" (widths of the layers that the dense features go through), such as bottom: [512, 256, 64]
END
workload 'workload: {dlrm: {tables: 4, rows: 9, embedding: 4, dense: 3, bottom: [8, 0], top: [1]}}\n' <<'END'
x.yml:1:75: workload.dlrm.bottom[1]: expected a whole number from 1 to 10000000, got "0"
END
workload 'workload: {dlrm: {tables: 4, rows: 9, embedding: 4, dense: 3, bottom: [], top: [1]}}\n' <<'END'
x.yml:1:71: workload.dlrm.bottom: expected a list of 1 to 64 entries, got 0
END
workload 'workload: {dlrm: {tables: 0, rows: 9, embedding: 4, dense: 3, bottom: [4], top: [1]}}\n' <<'END'
x.yml:1:27: workload.dlrm.tables: expected a whole number from 1 to 1000000, got "0"
END
workload 'workload: {dlrm: {tables: 4, rows: 9, embedding: 4, dense: 3, bottom: [8], top: [1]}}\n' <<'END'
x.yml:1:71: workload.dlrm.bottom: products with rows of 4 need a last layer of this width, got 8 (interaction: cat takes any)
END
workload 'workload: {dlrm: {tables: 4, rows: 9, embedding: 4, dense: 3, bottom: [4], top: [1], interaction: sum}}\n' <<'END'
x.yml:1:99: workload.dlrm.interaction: expected dot or cat, got "sum"
END
workload 'workload:\n  dlrm: {tables: 4, rows: 9, embedding: 4, dense: 3, bottom: [4], top: [1]}\n  parallel: {tensor: 2}\n' <<'END'
x.yml:3:22: workload.parallel.tensor: a dlrm cannot be parallelized this way; expected 1, got 2
END
workload 'workload:\n  dlrm: {tables: 4, rows: 9, embedding: 4, dense: 3, bottom: [4], top: [1]}\n  parallel: {pipeline: 4}\n' <<'END'
x.yml:3:24: workload.parallel.pipeline: a dlrm cannot be parallelized this way; expected 1, got 4
END
workload 'workload:\n  dlrm: {tables: 4, rows: 9, embedding: 4, dense: 3, bottom: [4], top: [1]}\n  parallel: {zero: 1}\n' <<'END'
x.yml:3:20: workload.parallel.zero: a dlrm keeps all weights on every NPU; expected 0, got 1
END
workload 'workload:\n  dlrm: {tables: 4, rows: 9, embedding: 4, dense: 3, bottom: [4], top: [1]}\n  training: {batch: 9}\n' <<'END'
x.yml:3:21: workload.training.batch: 9 samples are not a multiple of 4 data-parallel ranks x micro-batches of 1
END
workload 'workload:\n  dlrm: {tables: 4, rows: 9, embedding: 4, dense: 3, bottom: [4], top: [1]}\n  training: {batch: 32, micro_batch: 2}\n' <<'END'
x.yml:3:38: workload.training.micro_batch: a dlrm takes a rank's part of the batch at once; expected 8, got 2
END
workload 'workload:\n  dlrm: {tables: 4, rows: 9, embedding: 4, dense: 3, bottom: [4], top: [1]}\n  training: {recompute: full}\n' <<'END'
x.yml:3:25: workload.training.recompute: a dlrm keeps its activations; expected none
END
workload 'workload: {dlrm: {tables: 4, rows: 9, embedding: 4, dense: 3, bottom: [4], top: [1]}, cnn: {layers: [{dense: {out: 2}}]}}\n' <<'END'
x.yml:1:11: workload: expected one of the keys "traces" (a prefix of files), "taskgraph" (a file), "model" (a graph of operators), "generate" (a generator such as all_reduce) and "transformer", "dlrm" or "cnn" (a model), got both "dlrm" and "cnn"
END

# ---- convolutional networks ----

workload 'workload: {cnn: {}}\n' <<'END'
x.yml:1:17: workload.cnn: the cnn section needs the key "layers" (the layers, from the images to the scores), such as layers: [{conv: {out: 64, kernel: 3}}, {dense: {out: 1000}}]
END
workload 'workload: {cnn: {layers: []}}\n' <<'END'
x.yml:1:26: workload.cnn.layers: expected a list of 1 to 10000 entries, got 0
END
workload 'workload: {cnn: {layers: [dense]}}\n' <<'END'
x.yml:1:27: workload.cnn.layers[0]: expected a mapping of keys to values, got "dense"
END
workload 'workload: {cnn: {layers: [{convolution: {out: 2}}]}}\n' <<'END'
x.yml:1:28: workload.cnn.layers[0].convolution: unknown key in a layer; expected conv, pool, bottleneck, basic or dense
END
workload 'workload: {cnn: {layers: [{conv: {out: 2, kernel: 3}}, {}]}}\n' <<'END'
x.yml:1:56: workload.cnn.layers[1]: expected one key, conv, pool, bottleneck, basic or dense, got 0
END
workload 'workload: {cnn: {layers: [{conv: {out: 2, kernel: 3}, pool: {}}]}}\n' <<'END'
x.yml:1:27: workload.cnn.layers[0]: expected one key, conv, pool, bottleneck, basic or dense, got 2
END
workload 'workload: {cnn: {layers: [{conv: {out: 2}}]}}\n' <<'END'
x.yml:1:34: workload.cnn.layers[0].conv: a convolution needs the key "kernel" (height and width of the kernel), such as kernel: 3
END
workload 'workload: {cnn: {layers: [{conv: {out: 0, kernel: 3}}]}}\n' <<'END'
x.yml:1:40: workload.cnn.layers[0].conv.out: expected a whole number from 1 to 1000000, got "0"
END
workload 'workload: {cnn: {layers: [{dense: {out: 0}}]}}\n' <<'END'
x.yml:1:41: workload.cnn.layers[0].dense.out: expected a whole number from 1 to 100000000, got "0"
END
workload 'workload: {cnn: {input: {width: 0}, layers: [{dense: {out: 1}}]}}\n' <<'END'
x.yml:1:33: workload.cnn.input.width: expected a whole number from 1 to 1000000, got "0"
END
workload 'workload: {cnn: {input: {height: 4, width: 9}, layers: [{conv: {out: 2, kernel: 7, pad: 1}}]}}\n' <<'END'
x.yml:1:81: workload.cnn.layers[0].conv.kernel: 7 x 7 is larger than the input, 4 x 9 padded by 1
END
workload 'workload: {cnn: {layers: [{pool: {global: true}}, {pool: {}}]}}\n' <<'END'
x.yml:1:58: workload.cnn.layers[1].pool.kernel: 2 x 2 is larger than the input, 1 x 1 padded by 0
END
workload 'workload: {cnn: {layers: [{pool: {kernel: 3, pad: 2}}]}}\n' <<'END'
x.yml:1:51: workload.cnn.layers[0].pool.pad: 2 is more than half of the kernel, 3
END
workload 'workload: {cnn: {layers: [{pool: {global: true, stride: 2}}]}}\n' <<'END'
x.yml:1:57: workload.cnn.layers[0].pool.stride: a global pool takes the whole input
END
workload 'workload: {cnn: {layers: [{conv: {out: 4, kernel: 3, groups: 2}}]}}\n' <<'END'
x.yml:1:62: workload.cnn.layers[0].conv.groups: 2 do not divide the 3 channels of the input
END
workload 'workload: {cnn: {layers: [{conv: {out: 4, kernel: 3, groups: 3}}]}}\n' <<'END'
x.yml:1:62: workload.cnn.layers[0].conv.groups: 3 do not divide the 4 channels of the output
END
workload 'workload: {cnn: {layers: [{conv: {out: 4, kernel: 3, stride: 0}}]}}\n' <<'END'
x.yml:1:62: workload.cnn.layers[0].conv.stride: expected a whole number from 1 to 10000, got "0"
END
workload 'workload: {cnn: {layers: [{bottleneck: {out: 4}}]}}\n' <<'END'
x.yml:1:40: workload.cnn.layers[0].bottleneck: a bottleneck needs the key "width" (channels of the convolutions inside), such as width: 64
END
workload 'workload:\n  cnn: {layers: [{dense: {out: 2}}]}\n  parallel: {tensor: 4}\n' <<'END'
x.yml:3:22: workload.parallel.tensor: a cnn cannot be parallelized this way; expected 1, got 4
END
workload 'workload:\n  cnn: {layers: [{dense: {out: 2}}]}\n  parallel: {context: 2, data: 2}\n' <<'END'
x.yml:3:23: workload.parallel.context: a cnn cannot be parallelized this way; expected 1, got 2
END
workload 'workload:\n  cnn: {layers: [{dense: {out: 2}}]}\n  parallel: {expert: 2}\n' <<'END'
x.yml:3:22: workload.parallel.expert: a cnn cannot be parallelized this way; expected 1, got 2
END
workload 'workload:\n  cnn: {layers: [{dense: {out: 2}}]}\n  parallel: {schedule: interleaved}\n' <<'END'
x.yml:3:24: workload.parallel.schedule: a cnn has no stages to interleave
END
workload 'workload:\n  cnn: {layers: [{dense: {out: 2}}]}\n  parallel: {zero: 3}\n' <<'END'
x.yml:3:20: workload.parallel.zero: a cnn keeps all weights on every NPU; expected 0, got 3
END
workload 'workload:\n  cnn: {layers: [{dense: {out: 2}}]}\n  training: {batch: 6}\n' <<'END'
x.yml:3:21: workload.training.batch: 6 samples are not a multiple of 4 data-parallel ranks x micro-batches of 1
END
workload 'workload:\n  cnn: {layers: [{dense: {out: 2}}]}\n  training: {batch: 12, micro_batch: 2}\n' <<'END'
x.yml:3:21: workload.training.batch: 12 samples are not a multiple of 4 data-parallel ranks x micro-batches of 2
END
workload 'workload:\n  cnn: {layers: [{dense: {out: 2}}]}\n  training: {recompute: selective}\n' <<'END'
x.yml:3:25: workload.training.recompute: a cnn keeps its activations; expected none
END
workload 'workload:\n  cnn: {layers: [{dense: {out: 2}}]}\n  parallel: {layers_per_stage: uneven}\n' <<'END'
x.yml:3:32: workload.parallel.layers_per_stage: only a transformer takes this, not a cnn
END
workload 'workload:\n  cnn: {layers: [{dense: {out: 2}}]}\n  training: {fused_attention: true}\n' <<'END'
x.yml:3:31: workload.training.fused_attention: only a transformer takes this, not a cnn
END
workload 'workload:\n  transformer: {layers: 2, hidden: 8, heads: 2, sequence: 4, vocabulary: 16}\n  training: {bucket: 25 MiB}\n  parallel: {zero: 1}\n' <<'END'
x.yml:3:22: workload.training.bucket: with ZeRO gradients are reduced layer by layer
END
workload 'workload:\n  cnn: {layers: [{dense: {out: 2}}]}\n  training: {prefetch: 2}\n' <<'END'
x.yml:3:24: workload.training.prefetch: only a transformer takes this, not a cnn
END
workload 'workload:\n  cnn: {layers: [{conv: {out: 64, kernel: 3, pad: 1, repeat: 100}}]}\n  training: {batch: 256}\nmemory: {local: {bandwidth: 1 TB/s, capacity: 16 GB}}\n' <<'END'
x.yml:2:8: workload.cnn: the model does not fit: an NPU of pipeline stage 0 needs 38.35 GiB (weights 6.98 MiB, gradients 6.98 MiB, optimizer 41.86 MiB, activations 38.30 GiB), but memory.local.capacity is 14.90 GiB
END
workload 'workload: {dlrm: {tables: 4, rows: 1000000000, embedding: 64, dense: 3, bottom: [64], top: [1]}}\nmemory: {local: {bandwidth: 1 TB/s, capacity: 80 GB}}\n' <<'END'
x.yml:1:18: workload.dlrm: the model does not fit: an NPU of pipeline stage 0 needs 122.93 GiB (weights 119.21 GiB, gradients 662 B, optimizer 3.73 GiB, activations 796 B), but memory.local.capacity is 74.51 GiB
END

# More operators than a million: 15 times 10,000 blocks of 7.
{
    printf 'workload:\n  cnn:\n    layers:\n'
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
        printf '      - bottleneck: {width: 4, out: 4, repeat: 10000}\n'
    done
} >x.yml
refuses p.yml x.yml <<'EOF'
x.yml:18:48: workload.cnn.layers[14].bottleneck.repeat: the layers make more than 1000000 operators
EOF

finish
