TP="4"
ARGS=(
  --nproc_per_node 8 --nnodes ${N:-4}
)
torchrun ${ARGS[@]} x.py --tensor-model-parallel-size=${TP} --num-layers 8 \
  --hidden-size 64 --num-attention-heads 4 --num-experts 4 --moe-layer-freq "([0]*2+[1]*6)" # end
