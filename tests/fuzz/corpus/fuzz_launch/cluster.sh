#!/bin/bash
#SBATCH --nodes=16
#SBATCH --ntasks-per-node=8
GPUS=8
WORLD=$((GPUS*SLURM_NNODES))
TP=${TP:-4}; PP=${PP:-${Q:-2}}
MODEL_ARGS=(
    --num-layers 32
    --hidden-size 4096
    --num-attention-heads 32
    --swiglu
    --disable-bias-linear
    --normalization RMSNorm
)
TRAINING_ARGS=(--micro-batch-size 1 --global-batch-size $((2*WORLD)) --bf16
    --use-distributed-optimizer
)
if [ -n "$X" ]; then TRAINING_ARGS+=(--overlap-grad-reduce); fi
srun python -u -m torch.distributed.run --nproc_per_node=$GPUS --nnodes $SLURM_NNODES --rdzv_id $SLURM_JOB_ID pretrain_gpt.py ${MODEL_ARGS[@]} ${TRAINING_ARGS[@]} \
   --tensor-model-parallel-size $TP --pipeline-model-parallel-size $PP --sequence-parallel 2>&1 | tee log.txt
