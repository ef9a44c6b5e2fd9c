const suffixes: Readonly<Record<string, number>> = {
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

/** Whether two values are the same amount: the server writes `1` for `1000m` and `1Gi` for `1024Mi`. */
export function isSameQuantity(one: unknown, other: unknown): boolean {
  const amount = amountOf(one);
  return amount !== undefined && amount === amountOf(other);
}

function amountOf(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  const [, digits, suffix = ""] =
    typeof value === "string"
      ? (/^([+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)([a-zA-Z]*)$/u.exec(value) ?? [])
      : [];
  const factor = Object.hasOwn(suffixes, suffix) ? suffixes[suffix] : undefined;
  // Thousandths of thousandths are the smallest part that the server keeps.
  return digits === undefined || factor === undefined
    ? undefined
    : Number((Number(digits) * factor).toPrecision(15));
}
