const multipliers: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  "": 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

const parsed = new Map<string, number>();
const rememberedQuantities = 1000;

/** `250m` → 0.25, `1Gi` → 1073741824. What cannot be read counts as 0: the API server refused it long before. */
export function parseQuantity(quantity: string | number | undefined): number {
  if (quantity === undefined) return 0;
  if (typeof quantity === "number") return quantity;
  const known = parsed.get(quantity);
  if (known !== undefined) return known;
  const value = compute(quantity);
  if (parsed.size < rememberedQuantities) parsed.set(quantity, value);
  return value;
}

function compute(quantity: string): number {
  const match = /^([+-]?\d*\.?\d+(?:[eE][+-]?\d+)?)([numkKMGTPE]?i?)$/.exec(quantity);
  if (match === null) return 0;
  return Number(match[1]) * (multipliers[match[2] ?? ""] ?? 0);
}
