"""The tables of the benchmarks: speeds beside peers, and what is below a goal."""

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


HOST = {
    "host": {"processor": "P", "cpus": 2, "system": "S", "python": "3", "packages": {"numpy": "2"}},
    "made": {"date": "1994-01-01"},
}


def test_the_table_of_engines():
    cases = [
        {"engine": "recompile-table", "per_second": 12345.0, "instructions_per_second": 4.5e8, "times_machine": 419.2}
        | {"ratio_to": {"unicorn": 30.2, "native-c": 0.494}},
        {"engine": "native-c", "per_second": 25000.0, "ratio_to": {"unicorn": 61.0}},
    ]
    cases = [case | {"build": "O2", "objects": 200, "error": None} for case in cases]
    cases += [case | {"objects": 50} for case in cases]
    result = {"cases": cases, "regions": [], "method": {"rounds": 40, "machine": "mc68040-25"}} | HOST
    rows = result_tables.tables(result)[result_tables.SPEED]["engines"].splitlines()
    assert rows[2:4] == [
        "| recompiler, table clocks | 12,345 | 450 | 419 x | 30 x | - | 49 % |",
        "| the same C, gcc -O2, native | 25,000 | - | - | 61 x | - | - |",
    ]
    assert rows[-1] == "Medians of 40 laps; `mc68040-25`, P, 2 CPUs, S, Python 3, numpy 2; 1994-01-01."


def test_the_tables_of_programs():
    def program(name, ratios):
        return {"machine": "m", "program": name, "engine": "recompile-table", "error": None, "ratio_to": ratios}

    means = {"recompile-table": {"native-c": 0.4, "unicorn": 9.0}, "interpret-table": {"unicorn": 1.25}}
    means["recompile-full"] = {"native-c": 0.1}
    means["native-c"] = {"unicorn": 25.0}
    result = {
        "cases": [program("a", {"native-c": 0.5, "unicorn": 20.0}), program("b", {"native-c": 0.05, "unicorn": 2.0})],
        "means": [{"machine": "m", "engine": engine, "ratio_to": ratios} for engine, ratios in means.items()],
        "goals": [],
        "method": {"rounds": 3},
    }
    result["cases"].append(program("c", {"unicorn": 0.04}))
    rows = result_tables.tables(result | HOST)[result_tables.PROGRAMS]["programs"].splitlines()
    assert rows[2] == "| `m` | 40 % | 9 x | b, 5 % | 1.2 x | 25 x | 25 % |"
    assert rows[-3:] == ["| a | 50 %, 20 x |", "| b | 5 %, 2 x |", "| c | 0.04 x |"]
