"""A store under faults, recorded and judged: nodes and their network, a nemesis, clients, workloads, a verdict."""
