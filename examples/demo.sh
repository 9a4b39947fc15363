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
echo "Turns, rules and tools: how two agents worked, and which instructions they followed"
trajmeter score examples/runs/runs.jsonl \
    --tasks examples/runs/tasks.jsonl \
    --metrics turns,rules,tools \
    --output results/runs.jsonl

echo
echo "Rules: test cases with assertions and budgets, run by two agents"
trajmeter score examples/rules/results.json \
    --tasks examples/rules/cases.json \
    --metrics rules \
    --output results/rules.jsonl

echo
echo "Speedup: how much faster two agents made three programs, compared with the reference solution"
trajmeter score examples/speedup/june --metrics speedup --output results/speedup.jsonl

echo
echo "All of it at once: every family scores what it can, and reports what it cannot"
trajmeter score examples/context/predictions.jsonl examples/runs/runs.jsonl \
    examples/rules/results.json examples/speedup/june \
    --tasks examples/context/gold.jsonl \
    --tasks examples/runs/tasks.jsonl \
    --tasks examples/rules/cases.json \
    --snapshots examples/context/snapshots.jsonl \
    --metrics context,speedup,turns,rules,tools,answers \
    --output results/all.jsonl >results/all.txt
awk -v RS= -v ORS='\n\n' 'NR <= 2' results/all.txt
echo "The other tables: results/all.txt"

echo
echo "Answers: two toy agents answer the questions of a scenario, judged from a recording"
(
    cd examples/scenario
    trajmeter run . --agent agents:Searcher --agent agents:Chainer --mode capability \
        --judge-replay judge.jsonl --output ../../results
)
trajmeter compare results/*_lighthouse_*.json --output results/comparison.html >/dev/null
echo "Report with charts: results/comparison.html"
