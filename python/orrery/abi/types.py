"""Structs and callbacks of the C library. Made by python/generate_abi.py of include/orrery/*.h."""

from ctypes import (CFUNCTYPE, POINTER, Structure, c_bool, c_char, c_char_p, c_double, c_int, c_int64,
                    c_size_t, c_uint, c_uint16, c_uint32, c_uint64, c_void_p)


class Wide(Structure):
    """A number of 128 bits with a sign; int(wide) is its value."""
    _fields_ = [("low", c_uint64), ("high", c_int64)]

    def __int__(self) -> int:
        return (self.high << 64) + self.low


class PathPart(Structure):
    _fields_ = [
        ('what', c_char_p),
        ('dim', c_uint),
        ('ps', c_int64),
    ]


class PathStep(Structure):
    _fields_ = [
        ('rank', c_uint32),
        ('node', c_size_t),
        ('id', c_uint64),
        ('name', c_char_p),
        ('start_ps', c_int64),
    ]


class Model(Structure):
    _fields_ = [
        ('parameters', c_double),
        ('active_parameters', c_double),
        ('step_flops', c_double),
        ('step_samples', c_double),
        ('step_tokens', c_double),
        ('steps', c_uint32),
        ('stages', c_uint32),
        ('mtp_parameters', c_double),
    ]


class ModelMemory(Structure):
    _fields_ = [
        ('weights_bytes', c_uint64),
        ('gradients_bytes', c_uint64),
        ('optimizer_bytes', c_uint64),
        ('activations_bytes', c_uint64),
        ('capacity_bytes', c_uint64),
    ]


class Layout(Structure):
    _fields_ = [
        ('bytes', c_uint64),
        ('changes', c_uint),
        ('set', c_char_p * 5),
        ('sets', c_uint),
    ]


class Layouts(Structure):
    _fields_ = [
        ('near', Layout * 3),
        ('count', c_uint),
        ('min', Layout),
        ('single', c_bool),
        ('pool', c_bool),
    ]


class Inputs(Structure):
    _fields_ = [
        ('platform', c_char_p),
        ('workload', c_char_p),
        ('set', POINTER(c_char_p)),
        ('set_count', c_size_t),
        ('library', c_char_p),
        ('workload_text', c_char_p),
    ]


class JobTimes(Structure):
    _fields_ = [
        ('name', c_char_p),
        ('ranks', POINTER(c_uint32)),
        ('npus', c_uint32),
        ('iterations', c_uint32),
        ('start_ps', c_int64),
        ('end_ps', c_int64),
        ('iteration_ps', POINTER(c_int64)),
    ]


class FoldDigit(Structure):
    _fields_ = [
        ('stride', c_uint32),
        ('size', c_uint32),
        ('folded', c_bool),
        ('why', c_char_p),
    ]


class AstraSim(Structure):
    _fields_ = [
        ('workload', c_char_p),
        ('system', c_char_p),
        ('network', c_char_p),
        ('remote_memory', c_char_p),
        ('comm_group', c_char_p),
        ('backend', c_char_p),
        ('queues_per_dim', c_uint),
        ('injection_scale', c_uint),
        ('rendezvous', c_bool),
        ('default_rules', c_bool),
        ('dimension_scheduling', c_bool),
    ]


class Scale(Structure):
    _fields_ = [
        ('quantity', c_int),
        ('dim', c_uint),
        ('factor', c_double),
    ]


class MemoryStep(Structure):
    _fields_ = [
        ('at_ps', c_int64),
        ('bytes', c_uint64),
    ]


class MemoryUse(Structure):
    _fields_ = [
        ('peak_bytes', c_uint64),
        ('peak_ps', c_int64),
        ('step', POINTER(MemoryStep)),
        ('steps', c_size_t),
        ('peak_name', c_char_p),
        ('peak_node', c_uint64),
    ]


class DimStats(Structure):
    _fields_ = [
        ('block', c_char_p),
        ('npus', c_uint32),
        ('bandwidth_bytes_per_s', c_double),
        ('latency_ps', c_int64),
        ('messages', Wide),
        ('bytes', Wide),
        ('busy_ps', Wide),
        ('servers', c_uint64),
        ('reduces', c_bool),
        ('_gap9', c_char * 7),
    ]


class LinkSteps(Structure):
    _fields_ = [
        ('steps', c_size_t),
        ('step_ps', c_int64),
    ]


class Link(Structure):
    _fields_ = [
        ('from', c_uint32),
        ('to', c_uint32),
        ('count', c_uint32),
        ('bandwidth_bytes_per_s', c_double),
        ('latency_ps', c_int64),
        ('bytes', c_uint64),
        ('offered_bytes', c_double),
    ]


class Circuits(Structure):
    _fields_ = [
        ('once', c_bool),
        ('group', c_uint32),
        ('pairs', c_uint32),
        ('weight', c_double),
        ('weights', c_uint32),
        ('deficit', c_uint32),
        ('switch_ps', c_int64),
    ]


class Pair(Structure):
    _fields_ = [
        ('from', c_uint32),
        ('to', c_uint32),
        ('messages', c_uint64),
        ('bytes', c_uint64),
    ]


class Node(Structure):
    _fields_ = [
        ('id', c_uint64),
        ('name', c_char_p),
        ('kind', c_int),
        ('ran', c_bool),
        ('remote', c_bool),
        ('start_ps', c_int64),
        ('end_ps', c_int64),
        ('transfer_ps', c_int64),
        ('bytes', c_uint64),
        ('flops', c_uint64),
        ('collective', c_char_p),
        ('group', c_char_p),
        ('group_id', c_uint32),
        ('group_npus', c_uint32),
        ('peer', c_uint32),
        ('tag', c_uint32),
    ]


class SummaryRow(Structure):
    _fields_ = [
        ('kind', c_int),
        ('remote', c_bool),
        ('name', c_char_p),
        ('several_names', c_bool),
        ('npus', c_uint32),
        ('bytes_each', c_uint64),
        ('count', c_uint64),
        ('_gap7', c_char * 8),
        ('bytes', Wide),
        ('flops', Wide),
        ('time_ps', Wide),
        ('waiting_ps', Wide),
        ('shortest_ps', c_int64),
        ('longest_ps', c_int64),
        ('exposed_ps', Wide),
        ('exposed_waiting_ps', Wide),
    ]


class Choice(Structure):
    _fields_ = [
        ('collective', c_char_p),
        ('npus', c_uint32),
        ('bytes', c_uint64),
        ('algorithms', c_char_p),
        ('scheduler', c_char_p),
        ('parts', c_uint64),
        ('whole', c_bool),
        ('library', c_char_p),
        ('uneven', c_bool),
        ('launch_ps', c_int64),
    ]


class Rates(Structure):
    _fields_ = [
        ('tokens_per_s', c_double),
        ('model_flops_per_s', c_double),
        ('model_flops_utilization', c_double),
        ('samples_per_s', c_double),
    ]


class Uncertainty(Structure):
    _fields_ = [
        ('share', c_double),
        ('low_ps', c_int64),
        ('high_ps', c_int64),
        ('parameters', c_double),
        ('residuals', c_double),
        ('rows', c_uint64),
        ('low_utilization', c_double),
        ('high_utilization', c_double),
        ('slopes', c_size_t),
    ]


class Slope(Structure):
    _fields_ = [
        ('name', c_char_p),
        ('slope', c_double),
        ('spread', c_double),
    ]


class Progress(Structure):
    _fields_ = [
        ('now_ps', c_int64),
        ('events', c_uint64),
        ('npus_finished', c_uint32),
    ]


class Times(Structure):
    _fields_ = [
        ('finish_ps', c_int64),
        ('compute_ps', c_int64),
        ('cpu_ps', c_int64),
        ('exposed_local_memory_ps', c_int64),
        ('exposed_remote_memory_ps', c_int64),
        ('exposed_communication_ps', c_int64),
        ('waiting_ps', c_int64),
        ('idle_ps', c_int64),
        ('accelerator_compute_ps', c_int64),
    ]


class GpuTimes(Structure):
    _fields_ = [
        ('size', c_size_t),
        ('span_ps', c_int64),
        ('compute_ps', c_int64),
        ('communication_ps', c_int64),
        ('exposed_communication_ps', c_int64),
        ('memory_copy_ps', c_int64),
        ('idle_ps', c_int64),
        ('idle_launch_ps', c_int64),
        ('idle_stream_ps', c_int64),
        ('idle_peer_ps', c_int64),
        ('idle_end_of_step_ps', c_int64),
        ('idle_other_ps', c_int64),
    ]


class TraceNode(Structure):
    _fields_ = [
        ('size', c_size_t),
        ('id', c_uint64),
        ('kind', c_int),
        ('name', c_char_p),
        ('after', POINTER(c_uint64)),
        ('after_count', c_size_t),
        ('duration_ps', c_int64),
        ('flops', c_uint64),
        ('bytes', c_uint64),
        ('remote', c_bool),
        ('collective', c_char_p),
        ('group', c_char_p),
        ('root', c_uint32),
        ('peer', c_uint32),
        ('tag', c_uint32),
    ]


class Parts(Structure):
    _fields_ = [
        ('size', c_size_t),
        ('platform', c_void_p),
        ('workload', c_void_p),
        ('set', POINTER(c_char_p)),
        ('set_count', c_size_t),
    ]


class Bench(Structure):
    _fields_ = [
        ('size', c_size_t),
        ('files', POINTER(Inputs)),
        ('parts', POINTER(Parts)),
        ('collective', c_char_p),
        ('min_bytes', c_uint64),
        ('max_bytes', c_uint64),
        ('step', c_uint64),
        ('threads', c_uint),
        ('turnaround', c_bool),
    ]


class Measured(Structure):
    _fields_ = [
        ('path', c_char_p),
        ('data', c_void_p),
        ('bytes', c_size_t),
    ]


OnWarning = CFUNCTYPE(None, c_void_p, c_char_p)


class BenchMeasured(Structure):
    _fields_ = [
        ('size', c_size_t),
        ('files', POINTER(Inputs)),
        ('parts', POINTER(Parts)),
        ('data', POINTER(Measured)),
        ('sources', c_size_t),
        ('collective', c_char_p),
        ('npus', c_uint32),
        ('npus_per_node', c_uint32),
        ('threads', c_uint),
        ('warn', OnWarning),
        ('user', c_void_p),
    ]


OnConvertProgress = CFUNCTYPE(None, c_void_p, c_uint64, c_uint64)


class Convert(Structure):
    _fields_ = [
        ('size', c_size_t),
        ('format', c_char_p),
        ('files', POINTER(c_char_p)),
        ('file_count', c_size_t),
        ('et', c_char_p),
        ('kineto', c_char_p),
        ('ranks', c_uint32),
        ('out', c_char_p),
        ('gzip', c_bool),
        ('platform', c_char_p),
        ('passes', c_uint32),
        ('batch_size', c_double),
        ('progress', OnConvertProgress),
        ('progress_user', c_void_p),
        ('missing_ranks', c_char_p),
        ('step', c_char_p),
    ]


class ConversionCounts(Structure):
    _fields_ = [
        ('size', c_size_t),
        ('ranks', c_uint64),
        ('nodes_read', c_uint64),
        ('matched', c_uint64),
        ('nodes_written', c_uint64),
        ('communication_bytes', c_uint64),
        ('longest_ps', c_int64),
        ('notes', c_size_t),
    ]


class ConversionNote(Structure):
    _fields_ = [
        ('size', c_size_t),
        ('finding', c_char_p),
        ('count', c_uint64),
        ('example', c_char_p),
    ]


OnNetNowPs = CFUNCTYPE(c_int64, c_void_p)


OnNetCall = CFUNCTYPE(None, c_void_p, c_uint64)


OnNetSchedule = CFUNCTYPE(None, c_void_p, c_int64, OnNetCall, c_uint64)


class Net(Structure):
    _fields_ = [
        ('now_ps', OnNetNowPs),
        ('schedule', OnNetSchedule),
        ('delivered', OnNetCall),
        ('fail', OnWarning),
    ]


class NetworkDim(Structure):
    _fields_ = [
        ('block', c_char_p),
        ('npus', c_uint32),
        ('bandwidth_bytes_per_s', c_double),
        ('per_npu', c_bool),
        ('latency_ps', c_int64),
    ]


class Network(Structure):
    _fields_ = [
        ('npus', c_uint32),
        ('dims', c_uint),
        ('dim', POINTER(NetworkDim)),
    ]


class NetMessage(Structure):
    _fields_ = [
        ('id', c_uint64),
        ('from', c_uint32),
        ('to', c_uint32),
        ('bytes', c_uint64),
    ]


OnBackendCreate = CFUNCTYPE(c_void_p, c_void_p, POINTER(Net), POINTER(Network))


OnBackendDestroy = CFUNCTYPE(None, c_void_p)


OnBackendSend = CFUNCTYPE(None, c_void_p, POINTER(NetMessage))


OnBackendLatencyPs = CFUNCTYPE(c_int64, c_void_p, c_uint32, c_uint32)


class Backend(Structure):
    _fields_ = [
        ('size', c_size_t),
        ('name', c_char_p),
        ('summary', c_char_p),
        ('user', c_void_p),
        ('create', OnBackendCreate),
        ('destroy', OnBackendDestroy),
        ('send', OnBackendSend),
        ('latency_ps', OnBackendLatencyPs),
    ]


class CircuitsView(Structure):
    _fields_ = [
        ('nodes', c_uint32),
        ('ports', c_uint32),
        ('duplex', c_bool),
        ('now_ps', c_int64),
        ('offered', POINTER(c_double)),
        ('waiting', POINTER(c_double)),
        ('total', POINTER(c_double)),
        ('present', POINTER(c_uint16)),
    ]


OnControllerDecide = CFUNCTYPE(None, c_void_p, POINTER(CircuitsView), POINTER(c_uint16))


class Controller(Structure):
    _fields_ = [
        ('size', c_size_t),
        ('name', c_char_p),
        ('summary', c_char_p),
        ('user', c_void_p),
        ('decide', OnControllerDecide),
    ]


class CollectiveView(Structure):
    _fields_ = [
        ('kind', c_int),
        ('ranks', c_uint32),
        ('rank', c_uint32),
        ('root', c_uint32),
        ('bytes', c_uint64),
    ]


class Send(Structure):
    _fields_ = [
        ('to', c_uint32),
        ('to_receive', c_uint32),
        ('need', c_uint32),
        ('bytes', c_uint64),
    ]


class Receive(Structure):
    _fields_ = [
        ('from', c_uint32),
        ('reduce', c_bool),
        ('after', c_uint32),
        ('bytes', c_uint64),
    ]


OnCollectiveSupports = CFUNCTYPE(c_bool, c_void_p, c_int, c_uint32)


OnCollectiveSends = CFUNCTYPE(c_uint32, c_void_p, POINTER(CollectiveView))


OnCollectiveSend = CFUNCTYPE(None, c_void_p, POINTER(CollectiveView), c_uint32, POINTER(Send))


OnCollectiveReceive = CFUNCTYPE(None, c_void_p, POINTER(CollectiveView), c_uint32, POINTER(Receive))


OnCollectiveVisit = CFUNCTYPE(None, c_void_p, c_uint32)


OnCollectiveBlocks = CFUNCTYPE(None, c_void_p, POINTER(CollectiveView), c_uint32, OnCollectiveVisit, c_void_p)


OnCollectiveSteps = CFUNCTYPE(c_uint32, c_void_p, c_int, c_uint32)


class Collective(Structure):
    _fields_ = [
        ('size', c_size_t),
        ('name', c_char_p),
        ('summary', c_char_p),
        ('user', c_void_p),
        ('in_order', c_bool),
        ('supports', OnCollectiveSupports),
        ('sends', OnCollectiveSends),
        ('receives', OnCollectiveSends),
        ('send', OnCollectiveSend),
        ('receive', OnCollectiveReceive),
        ('blocks', OnCollectiveBlocks),
        ('steps', OnCollectiveSteps),
    ]


class Extension(Structure):
    _fields_ = [
        ('size', c_size_t),
        ('version', c_uint),
        ('name', c_char_p),
        ('backend', POINTER(Backend)),
        ('backends', c_size_t),
        ('controller', POINTER(Controller)),
        ('controllers', c_size_t),
        ('collective', POINTER(Collective)),
        ('collectives', c_size_t),
    ]


class Value(Structure):
    _fields_ = [
        ('kind', c_int),
        ('_gap1', c_char * 12),
        ('integer', Wide),
        ('real', c_double),
        ('text', c_char_p),
    ]


class ResultInfo(Structure):
    _fields_ = [
        ('place', c_char_p),
        ('name', c_char_p),
        ('unit', c_char_p),
        ('meaning', c_char_p),
    ]


class FitCollectives(Structure):
    _fields_ = [
        ('size', c_size_t),
        ('platform', c_char_p),
        ('text', c_char_p),
        ('name', c_char_p),
        ('set', POINTER(c_char_p)),
        ('set_count', c_size_t),
        ('data', POINTER(Measured)),
        ('files', c_size_t),
        ('collective', c_char_p),
        ('npus', c_uint32),
        ('npus_per_node', c_uint32),
        ('holdout', c_char_p),
        ('keep', c_int),
    ]


class FitCompute(Structure):
    _fields_ = [
        ('size', c_size_t),
        ('platform', c_char_p),
        ('text', c_char_p),
        ('name', c_char_p),
        ('workload', c_char_p),
        ('workload_text', c_char_p),
        ('workload_name', c_char_p),
        ('set', POINTER(c_char_p)),
        ('set_count', c_size_t),
        ('data', POINTER(Measured)),
        ('files', c_size_t),
        ('fit', POINTER(c_char_p)),
        ('fit_count', c_size_t),
        ('fix', POINTER(c_char_p)),
        ('fix_count', c_size_t),
        ('holdout', c_char_p),
        ('keep', c_int),
        ('skip_refused', c_int),
    ]


class Whatif(Structure):
    _fields_ = [
        ('size', c_size_t),
        ('files', POINTER(Inputs)),
        ('astra_sim', POINTER(AstraSim)),
        ('parts', POINTER(Parts)),
        ('change', POINTER(c_char_p)),
        ('changes', c_size_t),
        ('factor', c_double),
        ('threads', c_uint),
        ('warn', OnWarning),
        ('user', c_void_p),
    ]


class SweepProgress(Structure):
    _fields_ = [
        ('points', c_uint32),
        ('done', c_uint32),
        ('failed', c_uint32),
        ('point', c_uint32),
        ('error', c_char_p),
    ]


OnSweepProgress = CFUNCTYPE(None, c_void_p, POINTER(SweepProgress))


class Sweep(Structure):
    _fields_ = [
        ('size', c_size_t),
        ('file', c_char_p),
        ('text', c_char_p),
        ('output', c_char_p),
        ('keep', c_bool),
        ('restart', c_bool),
        ('retry', c_bool),
        ('list', c_bool),
        ('threads', c_bool),
        ('jobs', c_uint),
        ('progress', OnSweepProgress),
        ('user', c_void_p),
    ]


class DiffSide(Structure):
    _fields_ = [
        ('path', c_char_p),
        ('text', c_char_p),
        ('job', c_void_p),
    ]


class Diff(Structure):
    _fields_ = [
        ('size', c_size_t),
        ('a', DiffSide),
        ('b', DiffSide),
    ]


class Goodput(Structure):
    _fields_ = [
        ('size', c_size_t),
        ('gpus', c_uint32),
        ('gpus_per_node', c_uint32),
        ('links', c_uint32),
        ('mtbf_gpu_s', c_double),
        ('mtbf_node_s', c_double),
        ('mtbf_link_s', c_double),
        ('mtbf_job_s', c_double),
        ('checkpoint_s', c_double),
        ('asynchronous', c_bool),
        ('stall_s', c_double),
        ('restart_s', c_double),
        ('interval_s', c_double),
        ('daly', c_bool),
        ('repair_s', c_double),
        ('spares', c_uint32),
        ('straggler_mtbf_s', c_double),
        ('straggler_s', c_double),
        ('straggler_factor', c_double),
        ('step_s', c_double),
        ('step_tokens', c_double),
        ('tokens_per_s', c_double),
        ('tokens', c_double),
        ('dollars_per_gpu_hour', c_double),
        ('seconds', c_double),
        ('runs', c_uint32),
        ('seed', c_uint64),
    ]


class Import(Structure):
    _fields_ = [
        ('size', c_size_t),
        ('file', POINTER(c_char_p)),
        ('files', c_size_t),
        ('sequence', c_uint64),
        ('warn', OnWarning),
        ('user', c_void_p),
        ('npus', c_uint64),
        ('warn_not_understood', c_bool),
    ]


class Shipped(Structure):
    _fields_ = [
        ('size', c_size_t),
        ('name', c_char_p),
        ('comment', c_char_p),
    ]


class LayoutSearch(Structure):
    _fields_ = [
        ('size', c_size_t),
        ('files', POINTER(Inputs)),
        ('memory_bytes', c_uint64),
        ('best', c_uint32),
        ('threads', c_uint32),
        ('tokens', c_double),
        ('dollars_per_gpu_hour', c_double),
    ]


class OpGraphInput(Structure):
    _fields_ = [
        ('size', c_size_t),
        ('path', c_char_p),
        ('batch', c_uint64),
        ('devices', c_uint32),
        ('profile', c_char_p),
        ('platform', c_char_p),
        ('set', POINTER(c_char_p)),
        ('set_count', c_size_t),
    ]


class OpGraphFigures(Structure):
    _fields_ = [
        ('size', c_size_t),
        ('operators', c_uint32),
        ('edges', c_uint32),
        ('tables', c_uint32),
        ('batch', c_uint64),
        ('weights', c_uint64),
        ('weight_bytes', c_uint64),
        ('table_weights', c_uint64),
        ('table_bytes', c_uint64),
        ('forward_flops', c_uint64),
        ('backward_flops', c_uint64),
        ('product_flops', c_uint64),
        ('timed', c_bool),
        ('forward_ps', c_uint64),
        ('backward_ps', c_uint64),
        ('table_forward_ps', c_uint64),
        ('table_backward_ps', c_uint64),
    ]


class PlanProgress(Structure):
    _fields_ = [
        ('doing', c_char_p),
        ('round', c_uint),
        ('evaluations', c_uint64),
        ('budget', c_uint64),
        ('best_ps', c_int64),
    ]


OnPlanInputProgress = CFUNCTYPE(None, c_void_p, POINTER(PlanProgress))


class PlanInput(Structure):
    _fields_ = [
        ('size', c_size_t),
        ('path', c_char_p),
        ('text', c_char_p),
        ('set', POINTER(c_char_p)),
        ('set_count', c_size_t),
        ('resume', c_char_p),
        ('threads', c_uint),
        ('check', c_bool),
        ('no_run', c_bool),
        ('stop', POINTER(c_int)),
        ('progress', OnPlanInputProgress),
        ('user', c_void_p),
    ]


class PlanFigures(Structure):
    _fields_ = [
        ('size', c_size_t),
        ('servers', c_uint32),
        ('degree', c_uint32),
        ('predicted_ps', c_int64),
        ('simulated_ps', c_int64),
        ('naive_ps', c_int64),
        ('data_parallel_ps', c_int64),
        ('reduce_bytes', c_uint64),
        ('transfer_bytes', c_uint64),
        ('memory_bytes', c_uint64),
        ('evaluations', c_uint64),
        ('rounds', c_uint32),
        ('converged', c_bool),
        ('stopped', c_bool),
    ]


class PlanPoint(Structure):
    _fields_ = [
        ('model_parallel', c_uint32),
        ('data_parallel', c_uint32),
        ('batch', c_uint64),
        ('estimated_ps', c_int64),
        ('simulated_ps', c_int64),
        ('memory_bytes', c_uint64),
        ('missing_bytes', c_uint64),
        ('steps', c_double),
        ('accuracy_s', c_double),
    ]


class PlanSipMlFigures(Structure):
    _fields_ = [
        ('size', c_size_t),
        ('devices', c_uint32),
        ('points', c_uint32),
        ('best', PlanPoint),
        ('data_parallel', PlanPoint),
        ('stopped', c_bool),
    ]


class Prefix(Structure):
    _fields_ = [
        ('collective', c_size_t),
        ('node', c_size_t),
        ('bytes', c_uint64),
        ('there_ps', c_int64),
    ]


class GradientQueue(Structure):
    _fields_ = [
        ('turnaround_ps', c_int64),
        ('first_wait_ps', c_int64),
        ('bubbles_ps', c_int64),
    ]


class Profile(Structure):
    _fields_ = [
        ('size', c_size_t),
        ('given', POINTER(c_char_p)),
        ('givens', c_size_t),
        ('step', c_char_p),
        ('warn', OnWarning),
        ('user', c_void_p),
    ]


class PassTimes(Structure):
    _fields_ = [
        ('forward', c_double),
        ('backward_inputs', c_double),
        ('backward_weights', c_double),
        ('send', c_double),
        ('both', c_double),
    ]


class Schedule(Structure):
    _fields_ = [
        ('size', c_size_t),
        ('kind', c_char_p),
        ('table', c_char_p),
        ('stages', c_uint32),
        ('micro_batches', c_uint32),
        ('chunks', c_uint32),
        ('group', c_uint32),
        ('memory', c_uint32),
        ('times', PassTimes),
    ]


class TopologyInput(Structure):
    _fields_ = [
        ('size', c_size_t),
        ('network', c_char_p),
        ('platform', c_void_p),
        ('astra_network', c_char_p),
        ('set', POINTER(c_char_p)),
        ('set_count', c_size_t),
        ('npus', c_uint32),
        ('seed', c_uint64),
        ('bandwidth', c_char_p),
        ('latency', c_char_p),
        ('bandwidth_is', c_char_p),
        ('optical', c_char_p),
    ]


class TopologyFigures(Structure):
    _fields_ = [
        ('size', c_size_t),
        ('graph', c_bool),
        ('npus', c_uint32),
        ('switches', c_uint32),
        ('dims', c_uint32),
        ('links', c_uint64),
        ('diameter', c_uint32),
        ('diameter_is_exact', c_bool),
        ('mean_hops', c_double),
        ('npu_bytes_per_s', c_double),
        ('network_bytes_per_s', c_double),
        ('bisection_bytes_per_s', c_double),
        ('cost_dollars', c_double),
    ]


class TopologyDim(Structure):
    _fields_ = [
        ('size', c_size_t),
        ('block', c_char_p),
        ('npus', c_uint32),
        ('stride', c_uint64),
        ('links', c_uint64),
        ('link_bytes_per_s', c_double),
        ('npu_bytes_per_s', c_double),
        ('bisection_bytes_per_s', c_double),
        ('latency_ps', c_int64),
        ('diameter', c_uint32),
        ('mean_hops', c_double),
    ]


class TopologyEmbedding(Structure):
    _fields_ = [
        ('size', c_size_t),
        ('rings', c_bool),
        ('trees', c_char_p),
        ('shape', c_char_p),
        ('detours', c_char_p),
        ('detour', POINTER(c_char_p)),
        ('detour_count', c_size_t),
        ('ranks', c_char_p),
        ('around', c_bool),
        ('strict', c_bool),
        ('seed', c_uint64),
    ]


class TopologyBound(Structure):
    _fields_ = [
        ('size', c_size_t),
        ('collective', c_char_p),
        ('bytes', c_uint64),
        ('root', c_uint32),
        ('npus', c_uint32),
    ]


class SipMlInput(Structure):
    _fields_ = [
        ('size', c_size_t),
        ('set', POINTER(c_char_p)),
        ('set_count', c_size_t),
    ]


class SipMlFigures(Structure):
    _fields_ = [
        ('size', c_size_t),
        ('duty', c_double),
        ('slot_duty', c_double),
        ('node_loss_db', c_double),
        ('reach', c_uint32),
        ('micro_rings', c_uint32),
        ('interfaces', c_uint32),
        ('chip_dollars', c_double),
        ('mass_chip_dollars', c_double),
        ('run_dollars', c_double),
        ('mass_dollars', c_double),
        ('optics_dollars', c_double),
        ('sr_optics_dollars', c_double),
        ('flat', c_bool),
        ('clos_in_budget', c_bool),
        ('clos_stages', c_uint32),
        ('clos_switches', c_uint64),
        ('bcube_levels', c_uint32),
        ('bcube_peers', c_uint32),
        ('bcube_switches', c_uint64),
        ('bcube_share', c_double),
    ]


class TraceFigures(Structure):
    _fields_ = [
        ('size', c_size_t),
        ('nodes', c_uint64),
        ('edges', c_uint64),
        ('kind', c_uint64 * 8),
        ('depth', c_uint64),
        ('flops', c_uint64),
        ('communication_bytes', c_uint64),
        ('recorded_ps', c_uint64),
        ('longest_ps', c_uint64),
        ('groups', c_uint32),
    ]


class TracePath(Structure):
    _fields_ = [
        ('size', c_size_t),
        ('length_ps', c_uint64),
        ('id', POINTER(c_uint64)),
        ('nodes', c_size_t),
    ]


class TraceDifference(Structure):
    _fields_ = [
        ('size', c_size_t),
        ('both', c_uint64),
        ('only_a', c_uint64),
        ('only_b', c_uint64),
        ('edges_only_a', c_uint64),
        ('edges_only_b', c_uint64),
        ('differences', c_uint64),
    ]


class TraceCut(Structure):
    _fields_ = [
        ('size', c_size_t),
        ('in', c_char_p),
        ('out', c_char_p),
        ('step', c_char_p),
        ('from', c_char_p),
        ('to', c_char_p),
        ('marker', c_char_p),
        ('gzip', c_bool),
        ('ranks', c_uint32),
        ('nodes', c_uint64),
        ('all_nodes', c_uint64),
        ('edges', c_uint64),
        ('dropped', c_uint64),
        ('said', c_void_p),
    ]


class TraceScale(Structure):
    _fields_ = [
        ('size', c_size_t),
        ('in', c_char_p),
        ('out', c_char_p),
        ('from', c_uint32),
        ('to', c_uint32),
        ('gzip', c_bool),
        ('nodes', c_uint64),
        ('said', c_void_p),
    ]


OnExplainEmit = CFUNCTYPE(None, c_void_p, c_char_p, c_char_p, c_char_p)


OnParallelWork = CFUNCTYPE(None, c_void_p, c_uint)


STRUCTS = {
    'orrery_path_part': PathPart,
    'orrery_path_step': PathStep,
    'orrery_model': Model,
    'orrery_model_memory': ModelMemory,
    'orrery_layout': Layout,
    'orrery_layouts': Layouts,
    'orrery_inputs': Inputs,
    'orrery_job_times': JobTimes,
    'orrery_fold_digit': FoldDigit,
    'orrery_astra_sim': AstraSim,
    'orrery_scale': Scale,
    'orrery_memory_step': MemoryStep,
    'orrery_memory_use': MemoryUse,
    'orrery_dim_stats': DimStats,
    'orrery_link_steps': LinkSteps,
    'orrery_link': Link,
    'orrery_circuits': Circuits,
    'orrery_pair': Pair,
    'orrery_node': Node,
    'orrery_summary_row': SummaryRow,
    'orrery_choice': Choice,
    'orrery_rates': Rates,
    'orrery_uncertainty': Uncertainty,
    'orrery_slope': Slope,
    'orrery_progress': Progress,
    'orrery_times': Times,
    'orrery_gpu_times': GpuTimes,
    'orrery_trace_node': TraceNode,
    'orrery_parts': Parts,
    'orrery_bench': Bench,
    'orrery_measured': Measured,
    'orrery_bench_measured': BenchMeasured,
    'orrery_convert': Convert,
    'orrery_conversion_counts': ConversionCounts,
    'orrery_conversion_note': ConversionNote,
    'orrery_net': Net,
    'orrery_network_dim': NetworkDim,
    'orrery_network': Network,
    'orrery_net_message': NetMessage,
    'orrery_backend': Backend,
    'orrery_circuits_view': CircuitsView,
    'orrery_controller': Controller,
    'orrery_collective_view': CollectiveView,
    'orrery_send': Send,
    'orrery_receive': Receive,
    'orrery_collective': Collective,
    'orrery_extension': Extension,
    'orrery_value': Value,
    'orrery_result_info': ResultInfo,
    'orrery_fit_collectives': FitCollectives,
    'orrery_fit_compute': FitCompute,
    'orrery_whatif': Whatif,
    'orrery_sweep_progress': SweepProgress,
    'orrery_sweep': Sweep,
    'orrery_diff_side': DiffSide,
    'orrery_diff': Diff,
    'orrery_goodput': Goodput,
    'orrery_import': Import,
    'orrery_shipped': Shipped,
    'orrery_layout_search': LayoutSearch,
    'orrery_op_graph_input': OpGraphInput,
    'orrery_op_graph_figures': OpGraphFigures,
    'orrery_plan_progress': PlanProgress,
    'orrery_plan_input': PlanInput,
    'orrery_plan_figures': PlanFigures,
    'orrery_plan_point': PlanPoint,
    'orrery_plan_sip_ml_figures': PlanSipMlFigures,
    'orrery_prefix': Prefix,
    'orrery_gradient_queue': GradientQueue,
    'orrery_profile': Profile,
    'orrery_pass_times': PassTimes,
    'orrery_schedule': Schedule,
    'orrery_topology_input': TopologyInput,
    'orrery_topology_figures': TopologyFigures,
    'orrery_topology_dim': TopologyDim,
    'orrery_topology_embedding': TopologyEmbedding,
    'orrery_topology_bound': TopologyBound,
    'orrery_sip_ml_input': SipMlInput,
    'orrery_sip_ml_figures': SipMlFigures,
    'orrery_trace_figures': TraceFigures,
    'orrery_trace_path': TracePath,
    'orrery_trace_difference': TraceDifference,
    'orrery_trace_cut': TraceCut,
    'orrery_trace_scale': TraceScale,
}
