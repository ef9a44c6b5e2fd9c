import { parseQuantity } from "@bowline/core";

/** Schedulers ask for the same few amounts of thousands of pods. */
const known = new Map<string, number>();
const maxKnown = 1000;

/** `250m` → 0.25, `1Gi` → 1073741824. What cannot be read counts as 0: the API server refused it long before. */
export function amountOf(quantity: string | number | undefined): number {
  if (quantity === undefined) return 0;
  if (typeof quantity === "number") return quantity;
  const found = known.get(quantity);
  if (found !== undefined) return found;
  const amount = parseQuantity(quantity) ?? 0;
  if (known.size < maxKnown) known.set(quantity, amount);
  return amount;
}
