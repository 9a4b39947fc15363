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
