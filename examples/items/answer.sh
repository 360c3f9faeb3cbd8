# Answers questions with a model and a prompt: sh answer.sh MODEL PROMPT 17,4,250
# It stands for a program that calls a model, judges its answers, and knows what they cost.
awk -v model="$1" -v prompt="$2" -v items="$3" 'BEGIN {
  usd["small"] = 0.0002; usd["middle"] = 0.001; usd["large"] = 0.004
  good["small"] = 0.55; good["middle"] = 0.72; good["large"] = 0.78
  good["plain"] = 0; good["steps"] = 0.1; good["role"] = -0.05
  count = split(items, numbers, ",")
  for (i = 1; i <= count; i++) {
    srand(numbers[i]); rand(); hard = rand()
    srand(numbers[i] + 1000 * length(model) + 7000 * length(prompt)); rand()
    right = hard < good[model] + good[prompt] + 0.3 * (rand() - 0.5)
    printf "{\"right\": %d, \"usd\": %s}\n", right, usd[model]
  }
}'
