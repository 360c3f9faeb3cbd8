#!/bin/sh
# Stochastic gradient descent for a line through noisy points, with a checkpoint after each epoch.
# Needs nothing but sh and awk.
#
#     train.sh RATE CHECKPOINT UNTIL [--resume]
set -eu
rate=$1 kept=$2/state until=$3
state='0 0 0' # epoch, slope, offset
[ "${4-}" = --resume ] && state=$(cat "$kept")

while [ "${state%% *}" -lt "$until" ]; do
  state=$(echo "$state" | awk -v rate="$rate" '
    function uniform() { seed = (seed * 16807) % 2147483647; return seed / 2147483647 }
    { epoch = $1 + 1; slope = $2; offset = $3; seed = epoch * 7919
      for (step = 1; step <= 3000; step++) {
        x = 2 * uniform() - 1
        wrong = slope * x + offset - (3 * x - 1 + uniform() - 0.5)
        slope -= rate * wrong * x; offset -= rate * wrong
        if (slope * slope > 1e12) slope = 1e6
        if (offset * offset > 1e12) offset = 1e6
      }
      printf "%d %.9g %.9g\n", epoch, slope, offset }')
  # A checkpoint is whole or not there, and stands before the line that speaks of it.
  echo "$state" > "$kept.new"
  mv "$kept.new" "$kept"
  # The error beside the noise, which no line can take away: small ones differ by their order.
  echo "$state" | awk '{ s = $2 - 3; o = $3 + 1
    printf "{\"epoch\": %d, \"loss\": %.6f}\n", $1, log(s * s / 3 + o * o + 1e-9) }'
done
