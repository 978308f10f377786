"""The table of the benchmark of kernels: our fastest call, the best peer, and what is below the goal."""

from tools import result_tables


def case(engine, seconds, rivals, objects=200, error=None):
    best = {"best_seconds": seconds, "best_ratio_to": {peer: time / seconds for peer, time in rivals.items()}}
    return {"question": "pairs", "objects": objects, "engine": engine, "error": error} | best


def test_the_table_of_kernels():
    made = result_tables.kernels(
        {
            "cases": [
                case("a", 3e-6, {"slow": 9e-5, "fast": 6e-5}),
                case("b", 2e-6, {"slow": 9e-5, "fast": 6e-5}),
                case("b-batch", 1e-6, {"fast": 6e-5}),
                case("a", 2e-6, {"fast": 1.4e-5}, objects=50),
                case("fast", 6e-5, {}),
                case("wrong", 1e-6, {}, error="wrong pairs"),
            ],
            "host": {"processor": "P", "cpus": 2, "system": "S", "python": "3", "packages": {"numpy": "2"}},
            "method": {"rounds": 5, "seconds": 0.1},
            "made": {"date": "1994-01-01"},
        }
    )
    rows = [line for line in made.splitlines() if line.startswith("| pairs")]
    assert rows == [
        "| pairs | 50 | `a` | 2 us | `fast` | 14 us | 7 x |",
        "| pairs | 200 | `b` | 2 us | `fast` | 60 us | 30 x |",
    ]
    assert "Below the goal (15 times the best peer from 200 objects on, 8 times below): pairs, 50 objects: 7 x." in made
    assert "no figure: `wrong` with 200 objects." in made
