accelerate launch --config_file acc.yaml run_clm.py --model_name_or_path meta-llama/Llama-3.1-8B-Instruct --per_device_train_batch_size 2 \
  --gradient_accumulation_steps 4 --gradient_checkpointing True --bf16 True --block_size 4096 --learning_rate 1e-5 --output_dir out
