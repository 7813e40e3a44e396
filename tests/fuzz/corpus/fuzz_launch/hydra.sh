python megatron_gpt_pretraining.py --config-path=conf --config-name=x \
 trainer.devices=8 trainer.num_nodes=4 model.tensor_model_parallel_size=4 ++model.global_batch_size=256 +model.num_layers=24 'model.moe_layer_freq=[0,1]'
