#!/bin/sh
# Scores the bundled examples: the tables appear here, the results in results/.
set -eu
cd "$(dirname "$0")/.."
mkdir -p results

echo "Context: what each agent looked at, against what it needed"
trajmeter score examples/context/predictions.jsonl \
    --tasks examples/context/gold.jsonl \
    --snapshots examples/context/snapshots.jsonl \
    --output results/context.jsonl

echo
echo "Turns, rules and tools: how two agents worked, and whether they did as they were told"
trajmeter score examples/runs/runs.jsonl \
    --tasks examples/runs/tasks.jsonl \
    --metrics turns,rules,tools \
    --output results/runs.jsonl

echo
echo "Speedup: how much faster two agents made three tasks, beside the reference solution"
trajmeter score examples/speedup/june --metrics speedup --output results/speedup.jsonl

echo
echo "Answers: two toy agents asked the questions of a scenario, judged from a recording"
(
    cd examples/scenario
    trajmeter run . --agent agents:Searcher --agent agents:Chainer --mode capability \
        --judge-replay judge.jsonl --output ../../results
)
trajmeter compare results/*_lighthouse_*.json --output results/comparison.html >/dev/null
echo "Report with charts: results/comparison.html"
