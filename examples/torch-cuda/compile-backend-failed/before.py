"""Compile a gated norm with a backend of one's own that cannot handle the graph."""

import torch


def backend(graph, example_inputs):
    if any(node.target is torch.sigmoid for node in graph.graph.nodes):
        raise NotImplementedError("this backend has no sigmoid")
    return graph.forward


def gated_norm(o, gate):
    o = o * torch.rsqrt((o * o).mean(-1, keepdim=True) + 1e-5)
    return o * torch.sigmoid(gate)


o, gate = torch.randn(4, 128), torch.randn(4, 128)
expected = gated_norm(o.double(), gate.double())

compiled = torch.compile(gated_norm, backend=backend)
actual = compiled(o, gate)
