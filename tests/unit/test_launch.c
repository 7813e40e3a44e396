/* Launch files: scripts, logs and recipes of Megatron, DeepSpeed's JSON, a model's config.json;
 * alone and together. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/arena.h"
#include "core/diag.h"
#include "et_converter/launch/launch.h"

enum { MAX_FILES = 3 };

struct read {
    struct orr_arena *arena;
    struct orr_diag diag;
    struct orr_launch launch;
    char folder[64], path[MAX_FILES][96];
    size_t files;
};

/* Reads texts, which are files of a folder of their own. */
static enum orr_status read_texts(struct read *read, const char *const *text, size_t files)
{
    const char *path[MAX_FILES];
    memset(read, 0, sizeof *read);
    (void)strcpy(read->folder, "/tmp/orr_launch_XXXXXX");
    assert_non_null(mkdtemp(read->folder));
    for (size_t i = 0; i < files; i++) {
        (void)snprintf(read->path[i], sizeof read->path[i], "%s/%c", read->folder, (char)('a' + i));
        FILE *file = fopen(read->path[i], "w");
        assert_non_null(file);
        assert_true(fputs(text[i], file) >= 0);
        assert_int_equal(fclose(file), 0);
        path[i] = read->path[i];
    }
    read->files = files;
    orr_diag_init(&read->diag);
    read->arena = orr_arena_create();
    assert_non_null(read->arena);
    return orr_launch_read(path, files, read->arena, &read->launch, &read->diag);
}

static void read_one(struct read *read, const char *text)
{
    if (read_texts(read, &text, 1) != ORR_OK) {
        fail_msg("%s", read->diag.message);
    }
}

static void drop(struct read *read)
{
    for (size_t i = 0; i < read->files; i++) {
        (void)unlink(read->path[i]);
    }
    (void)rmdir(read->folder);
    orr_arena_destroy(read->arena);
}

static const char *value_of(const struct read *read, const char *path)
{
    for (size_t i = 0; i < read->launch.values; i++) {
        if (strcmp(read->launch.value[i].path, path) == 0) {
            return read->launch.value[i].text;
        }
    }
    return "(none)";
}

static bool lists(const char *const *list, size_t count, const char *key)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(list[i], key) == 0) {
            return true;
        }
    }
    return false;
}

/* ---- Megatron ---- */

static const char script[] =
    "#!/bin/bash\n"
    "# trains on 64 nodes, not --tensor-model-parallel-size 2\n"
    "GPUS_PER_NODE=8\n"
    "NNODES=${NNODES:-64}\n"
    "TP=\"4\"\n"
    "DISTRIBUTED_ARGS=(\n"
    "    --nproc_per_node $GPUS_PER_NODE\n"
    "    --nnodes $NNODES\n"
    ")\n"
    "GPT_ARGS=\"--num-layers 32 --hidden-size 4096 \\\n"
    "    --num-attention-heads 32 --group-query-attention --num-query-groups 8\"\n"
    "torchrun ${DISTRIBUTED_ARGS[@]} pretrain_gpt.py $GPT_ARGS \\\n"
    "    --tensor-model-parallel-size=${TP} --pipeline-model-parallel-size 4 \\\n"
    "    --num-layers-per-virtual-pipeline-stage 2 --sequence-parallel \\\n"
    "    --ffn-hidden-size 14336 --swiglu --normalization RMSNorm --disable-bias-linear \\\n"
    "    --untie-embeddings-and-output-weights --position-embedding-type rope \\\n"
    "    --vocab-size 128256 --seq-length 8192 --micro-batch-size 1 --global-batch-size 512 \\\n"
    "    --recompute-granularity selective --use-distributed-optimizer --overlap-grad-reduce \\\n"
    "    --bf16 --fp8-format hybrid --new-and-unheard-of 3 --lr 1e-4\n";

static void test_a_script_with_variables_and_comments(void **state)
{
    (void)state;
    struct read read;
    struct orr_shape_counts counts;
    read_one(&read, script);
    assert_string_equal(read.launch.file[0].kind, "megatron_arguments");
    assert_string_equal(value_of(&read, "parallel.tensor"), "4");
    assert_string_equal(value_of(&read, "parallel.pipeline"), "4");
    assert_string_equal(value_of(&read, "parallel.schedule"), "interleaved");
    assert_string_equal(value_of(&read, "parallel.chunks"), "4"); /* 32 / (4 x 2) */
    assert_string_equal(value_of(&read, "parallel.data"), "32");  /* 512 / 16 */
    assert_string_equal(value_of(&read, "parallel.zero"), "1");
    assert_string_equal(value_of(&read, "training.precision"), "fp8_delayed");
    assert_string_equal(value_of(&read, "training.weight_type"), "element");
    assert_string_equal(value_of(&read, "training.recompute"), "selective");
    assert_string_equal(value_of(&read, "transformer.sequence"), "8192");
    assert_true(read.launch.has_shape);
    /* 128256 = 1002 x 128, padded to a multiple of 4 x 128: 251 x 512 = 128512 */
    orr_shape_count(&read.launch.shape, 8192, &counts);
    assert_int_equal(counts.parameters, 8030261248u + 2 * 256 * 4096);
    assert_int_equal(read.launch.file[0].not_understoods, 1);
    assert_string_equal(read.launch.file[0].not_understood[0], "new_and_unheard_of");
    drop(&read);
}

static void test_the_arguments_of_a_log(void **state)
{
    (void)state;
    struct read read;
    read_one(&read, "using world size: 16, data-parallel size: 4\n"
                    "------------------------ arguments ------------------------\n"
                    "  global_batch_size ............................... 64\n"
                    "  kv_channels ..................................... None\n"
                    "  [rank0] micro_batch_size ........................ 2\n"
                    "  sequence_parallel ............................... True\n"
                    "  swiglu .......................................... False\n"
                    "  tensor_model_parallel_size ...................... 2\n"
                    "-------------------- end of arguments ---------------------\n");
    assert_string_equal(value_of(&read, "parallel.tensor"), "2");
    assert_string_equal(value_of(&read, "parallel.sequence"), "true");
    assert_string_equal(value_of(&read, "training.micro_batch"), "2");
    assert_string_equal(value_of(&read, "training.batch"), "64");
    assert_false(read.launch.has_shape);
    drop(&read);
}

static void test_a_recipe_in_yaml(void **state)
{
    (void)state;
    struct read read;
    read_one(&read, "model:\n"
                    "  num_layers: 24   # of the decoder\n"
                    "  hidden_size: 2048\n"
                    "  num_attention_heads: 16\n"
                    "  tensor_model_parallel_size: 1\n"
                    "  num_moe_experts: 8\n"
                    "  moe_router_topk: 2\n"
                    "  moe_layer_freq: '[0]*4+[1]*20'\n"
                    "train:\n"
                    "  micro_batch_size: 4\n");
    assert_string_equal(value_of(&read, "transformer.experts"), "8");
    assert_string_equal(value_of(&read, "training.micro_batch"), "4");
    assert_int_equal(read.launch.shape.layer[3].feed, ORR_FEED_DENSE);
    assert_int_equal(read.launch.shape.layer[4].feed, ORR_FEED_EXPERTS);
    drop(&read);
}

/* The same model by Megatron's flags and by its config.json: all sizes but the padded vocabulary.
 */
static void test_deepseek_by_flags_has_its_published_parameters(void **state)
{
    (void)state;
    struct read read;
    struct orr_shape_counts counts;
    read_one(&read,
             "--num-layers 61 --hidden-size 7168 --num-attention-heads 128 --vocab-size 129280 "
             "--make-vocab-size-divisible-by 1280 --ffn-hidden-size 18432 --swiglu "
             "--normalization RMSNorm --disable-bias-linear --position-embedding-type rope "
             "--untie-embeddings-and-output-weights --multi-latent-attention --q-lora-rank 1536 "
             "--kv-lora-rank 512 --qk-head-dim 128 --qk-pos-emb-head-dim 64 --v-head-dim 128 "
             "--qk-layernorm --num-experts 256 --moe-ffn-hidden-size 2048 --moe-router-topk 8 "
             "--moe-layer-freq '([0]*3+[1]*58)' --moe-shared-expert-intermediate-size 2048 "
             "--moe-router-enable-expert-bias --mtp-num-layers 1");
    orr_shape_count(&read.launch.shape, 4096, &counts);
    assert_int_equal(counts.parameters, 671026419200u);
    assert_int_equal(counts.active_parameters, 37552297472u);
    assert_int_equal(counts.mtp_parameters, 11610068224u);
    drop(&read);
}

/* ---- DeepSpeed ---- */

static void test_deepspeed_gives_what_two_of_three_sizes_leave(void **state)
{
    (void)state;
    struct read read;
    read_one(&read, "{\"train_batch_size\": 1024, \"train_micro_batch_size_per_gpu\": 2, "
                    "\"gradient_accumulation_steps\": 8, \"bf16\": {\"enabled\": true}, "
                    "\"zero_optimization\": {\"stage\": 3, \"overlap_comm\": false, "
                    "\"reduce_bucket_size\": 5e8, \"offload_optimizer\": {\"device\": \"cpu\"}, "
                    "\"zero_hpz_partition_size\": 8}, \"fp16\": {\"enabled\": \"auto\"}}");
    assert_string_equal(read.launch.file[0].kind, "deepspeed_config");
    assert_string_equal(value_of(&read, "parallel.data"), "64");
    assert_string_equal(value_of(&read, "parallel.zero"), "3");
    assert_string_equal(value_of(&read, "training.overlap"), "false");
    assert_string_equal(value_of(&read, "training.offload_optimizer"), "npu");
    assert_true(lists(read.launch.file[0].not_understood, read.launch.file[0].not_understoods,
                      "zero_hpz_partition_size"));
    drop(&read);
}

/* ---- together ---- */

static const char llama[] =
    "{\"model_type\": \"llama\", \"num_hidden_layers\": 32, \"hidden_size\": 4096, "
    "\"num_attention_heads\": 32, \"num_key_value_heads\": 8, \"intermediate_size\": 14336, "
    "\"vocab_size\": 128256}";

static void test_files_that_contradict_each_other_are_named(void **state)
{
    (void)state;
    struct read read;
    const char *const texts[] = {
        llama, "--num-layers 30 --hidden-size 4096 --num-attention-heads 32 --micro-batch-size 1",
        "{\"train_micro_batch_size_per_gpu\": 4, \"zero_optimization\": {\"stage\": 1}}"};
    assert_int_equal(read_texts(&read, texts, 3), ORR_OK);
    assert_int_equal(read.launch.contradictions, 2);
    const struct orr_launch_contradiction *layers = &read.launch.contradiction[0];
    assert_string_equal(layers->a.key, "num_hidden_layers");
    assert_string_equal(layers->b.text, "30");
    assert_string_equal(layers->b.file, read.path[1]);
    assert_string_equal(read.launch.contradiction[1].a.key, "micro_batch_size");
    assert_string_equal(read.launch.shape.name, "llama");
    assert_string_equal(value_of(&read, "transformer.layers"), "32");
    drop(&read);
}

/* The layers of the model count, whatever else the script says; its own are listed. */
static void test_layers_of_two_files(void **state)
{
    (void)state;
    struct read read;
    const char *const texts[] = {llama, "--num-layers 40 --pipeline-model-parallel-size 4 "
                                        "--num-layers-per-virtual-pipeline-stage 2"};
    assert_int_equal(read_texts(&read, texts, 2), ORR_OK);
    assert_int_equal(read.launch.contradictions, 1);
    assert_string_equal(value_of(&read, "parallel.chunks"), "4"); /* 32 / (4 x 2) */
    drop(&read);
}

/* 2 samples x 8 steps on each of 64 / (4 x 2) ranks. */
static void test_a_batch_of_two_files(void **state)
{
    (void)state;
    struct read read;
    const char *const texts[] = {
        "{\"train_micro_batch_size_per_gpu\": 2, \"gradient_accumulation_steps\": 8}",
        "--nproc_per_node 8 --nnodes 8 --tensor-model-parallel-size 4 "
        "--pipeline-model-parallel-size 2"};
    assert_int_equal(read_texts(&read, texts, 2), ORR_OK);
    assert_string_equal(value_of(&read, "training.batch"), "128");
    drop(&read);
}

static void test_keys_are_those_of_the_file(void **state)
{
    (void)state;
    struct read read;
    read_one(&read, "{\"model_type\": \"gpt2\", \"n_layer\": 12, \"n_embd\": 768, \"n_head\": 12, "
                    "\"n_positions\": 1024, \"vocab_size\": 50257}");
    assert_string_equal(read.launch.value[0].key, "n_layer");
    assert_string_equal(read.launch.value[1].key, "n_embd");
    assert_string_equal(value_of(&read, "transformer.kv_heads"), "(none)");
    drop(&read);
}

/* Flags end where a line or a command ends; variables, sums, defaults, Slurm's nodes; what is known
 * when the script runs only is left out. */
static void test_a_script_as_clusters_have_it(void **state)
{
    (void)state;
    struct read read;
    read_one(&read,
             "#!/bin/bash\n"
             "#SBATCH --nodes=16\n"
             "#SBATCH --ntasks-per-node=8\r\n"
             "GPUS=8; WORLD=$((GPUS * SLURM_NNODES))\n"
             ": ${TP:=4}\n"
             "ARGS=(\n"
             "    --num-layers 32 --hidden-size 4096 --num-attention-heads 32\n"
             "    --swiglu\n"
             "    --bf16\n"
             ")\n"
             "ARGS+=(--micro-batch-size 1 --global-batch-size $((2*WORLD)) "
             "--overlap-grad-reduce)\n"
             "echo \"usage: $0 [--tensor-model-parallel-size N]\"\n"
             "srun python -m torch.distributed.run --nproc_per_node=$GPUS --nnodes "
             "$SLURM_NNODES \\\r\n"
             "    p.py ${ARGS[@]} --tensor-model-parallel-size $TP "
             "--pipeline-model-parallel-size ${PP:-${Q:-2}} \\\n"
             "    --context-parallel-size $UNSET --use-distributed-optimizer 2>&1 | tee log\n");
    assert_string_equal(value_of(&read, "parallel.tensor"), "4");
    assert_string_equal(value_of(&read, "parallel.pipeline"), "2");
    assert_string_equal(value_of(&read, "parallel.data"), "16"); /* 8 x 16 / 8 */
    assert_string_equal(value_of(&read, "parallel.context"), "(none)");
    assert_string_equal(value_of(&read, "parallel.zero"), "1");
    assert_string_equal(value_of(&read, "training.batch"), "256");
    assert_string_equal(value_of(&read, "training.overlap"), "true");
    assert_string_equal(value_of(&read, "training.element_bytes"), "2");
    assert_true(read.launch.shape.gated);
    drop(&read);
}

/* ---- what frameworks do unsaid ---- */

static const char plain[] = "--micro-batch-size 1 --num-layers 2 --hidden-size 64 "
                            "--num-attention-heads 4 --vocab-size 1000";

static void test_megatron_trains_in_fp32_unless_told_otherwise(void **state)
{
    (void)state;
    struct read read;
    read_one(&read, plain);
    assert_string_equal(value_of(&read, "training.element_bytes"), "4");
    assert_string_equal(value_of(&read, "training.gradient_bytes"), "(none)");
    drop(&read);
    const char *const texts[] = {
        "{\"model_type\": \"llama\", \"num_hidden_layers\": 2, \"hidden_size\": 64, "
        "\"num_attention_heads\": 4, \"vocab_size\": 1000, \"torch_dtype\": \"bfloat16\"}",
        "--micro-batch-size 1 --vocab-size 1000 --num-layers 2"};
    assert_int_equal(read_texts(&read, texts, 2), ORR_OK);
    assert_string_equal(value_of(&read, "training.element_bytes"), "4");
    drop(&read);
    read_one(&read, texts[0]); /* alone: the type of the weights */
    assert_string_equal(value_of(&read, "training.element_bytes"), "2");
    drop(&read);
}

/* Main gradients are FP32 with BF16 (arguments.py), unless --grad-reduce-in-bf16. */
static void test_gradients_of_bf16_are_fp32(void **state)
{
    (void)state;
    struct read read;
    read_one(&read, "--micro-batch-size 1 --bf16");
    assert_string_equal(value_of(&read, "training.element_bytes"), "2");
    assert_string_equal(value_of(&read, "training.gradient_bytes"), "4");
    drop(&read);
    read_one(&read, "--micro-batch-size 1 --bf16 --grad-reduce-in-bf16");
    assert_string_equal(value_of(&read, "training.gradient_bytes"), "2");
    drop(&read);
    read_one(&read, "--micro-batch-size 1 --fp16");
    assert_string_equal(value_of(&read, "training.gradient_bytes"), "(none)");
    drop(&read);
}

/* 1000 is padded to 1024: the same as 1000 of the model's own file. */
static void test_a_padded_vocabulary_does_not_contradict(void **state)
{
    (void)state;
    struct read read;
    const char *const texts[] = {
        plain, "{\"model_type\": \"llama\", \"num_hidden_layers\": 2, \"hidden_size\": 64, "
               "\"num_attention_heads\": 4, \"vocab_size\": 1000}"};
    assert_int_equal(read_texts(&read, texts, 2), ORR_OK);
    assert_string_equal(value_of(&read, "transformer.vocabulary"), "1024");
    assert_int_equal(read.launch.contradictions, 0);
    drop(&read);
}

/* ---- refusals ---- */

static void assert_refused(const char *text, const char *why)
{
    struct read read;
    assert_int_equal(read_texts(&read, &text, 1), ORR_ERR_INPUT);
    if (strstr(read.diag.message, why) == NULL) {
        fail_msg("expected \"%s\", got \"%s\"", why, read.diag.message);
    }
    assert_string_equal(read.diag.place.file, read.path[0]);
    drop(&read);
}

static void test_bad_files_are_refused(void **state)
{
    (void)state;
    assert_refused("", "the file is none of these");
    assert_refused("hello: world\n", "the file is none of these");
    assert_refused("{\"model_type\": \"llama\", \"num_hid", "expected a JSON object: ");
    assert_refused("--num-layers two --hidden-size 8",
                   "num_layers: expected a whole number, got \"two\"");
    assert_refused(
        "--num-layers 10 --hidden-size 8 --num-attention-heads 2 --num-experts 4 "
        "--moe-layer-freq '[0]*3'",
        "moe_layer_freq: expected a number or a list of 0 and 1 for each layer, got \"[0]*3\"");
    assert_refused("--num-layers 10 --hidden-size 8 --num-attention-heads 2 --num-experts 4 "
                   "--moe-layer-freq '[i for i in range(10)]'",
                   "moe_layer_freq: expected a number or a list");
    assert_refused("--num-layers 10 --hidden-size 8 --num-attention-heads 2 --num-experts 4 "
                   "--moe-router-topk 5",
                   "moe_router_topk: expected at most num_experts");
    assert_refused("--nproc_per_node 8 --nnodes 3 --tensor-model-parallel-size 16",
                   "24 processes are no multiple of tensor x pipeline x context = 16");
    assert_refused("{\"train_batch_size\": 10, \"train_micro_batch_size_per_gpu\": 4, "
                   "\"gradient_accumulation_steps\": 1}",
                   "train_batch_size: expected a multiple of");
    assert_refused(
        "--micro-batch-size 1 --tensor-model-parallel-size 1073741824 "
        "--pipeline-model-parallel-size 1073741824 --context-parallel-size 16 --nnodes 2",
        "expected degrees of at most 32768");
    assert_refused("--num-layers 4 --hidden-size 8 --num-attention-heads 2 --num-experts 4 "
                   "--moe-layer-freq '[]*18446744073709551615+[1]*4'",
                   "moe_layer_freq: expected a number or a list");
    assert_refused("--nproc_per_node 8 --nnodes 3 --pipeline-model-parallel-size 3 "
                   "--expert-model-parallel-size 16",
                   "24 processes are no multiple of expert x expert tensor x pipeline = 48");
    assert_refused("--micro-batch-size 1 --recompute-granularity ful",
                   "recompute_granularity: expected full, selective, got \"ful\"");
    assert_refused("{\"zero_optimization\": {\"stage\": 7}}", "stage: expected 0 to 3");
    assert_refused("{\"train_batch_size\": \"many\"}",
                   "train_batch_size: expected a whole number or \"auto\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_script_with_variables_and_comments),
        cmocka_unit_test(test_the_arguments_of_a_log),
        cmocka_unit_test(test_a_recipe_in_yaml),
        cmocka_unit_test(test_deepseek_by_flags_has_its_published_parameters),
        cmocka_unit_test(test_deepspeed_gives_what_two_of_three_sizes_leave),
        cmocka_unit_test(test_files_that_contradict_each_other_are_named),
        cmocka_unit_test(test_layers_of_two_files),
        cmocka_unit_test(test_a_batch_of_two_files),
        cmocka_unit_test(test_keys_are_those_of_the_file),
        cmocka_unit_test(test_a_script_as_clusters_have_it),
        cmocka_unit_test(test_megatron_trains_in_fp32_unless_told_otherwise),
        cmocka_unit_test(test_gradients_of_bf16_are_fp32),
        cmocka_unit_test(test_a_padded_vocabulary_does_not_contradict),
        cmocka_unit_test(test_bad_files_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
