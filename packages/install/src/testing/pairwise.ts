type Choice = readonly [name: string, position: string];

/** Few combinations in which every two positions of two switches come together at least once. */
export function pairwise(switches: ReadonlyMap<string, readonly string[]>): Map<string, string>[] {
  const missing = new Map<string, readonly [Choice, Choice]>();
  for (const [a, b] of pairsOf([...switches.keys()])) {
    for (const first of switches.get(a) ?? []) {
      for (const second of switches.get(b) ?? []) {
        const pair = [[a, first] as const, [b, second] as const] as const;
        missing.set(keyOf(...pair), pair);
      }
    }
  }
  const combinations: Map<string, string>[] = [];
  for (const pair of missing.values()) {
    const chosen = new Map<string, string>(pair);
    for (const [name, positions] of switches) {
      if (!chosen.has(name)) chosen.set(name, bestOf(name, positions, { chosen, missing }));
    }
    const choices = [...switches.keys()].map((name): Choice => [name, chosen.get(name) ?? ""]);
    for (const [first, second] of pairsOf(choices)) missing.delete(keyOf(first, second));
    combinations.push(new Map(choices));
  }
  return combinations;
}

interface Progress {
  readonly chosen: ReadonlyMap<string, string>;
  readonly missing: ReadonlyMap<string, unknown>;
}

/** The position that brings most pairs that are missing. */
function bestOf(name: string, positions: readonly string[], { chosen, missing }: Progress): string {
  const gain = (position: string): number => {
    const pairs = [...chosen].flatMap((other): string[] => [
      keyOf(other, [name, position]),
      keyOf([name, position], other),
    ]);
    return pairs.filter((key) => missing.has(key)).length;
  };
  return positions.toSorted((a, b) => gain(b) - gain(a))[0] ?? "";
}

function keyOf(first: Choice, second: Choice): string {
  return JSON.stringify([first, second]);
}

function pairsOf<T>(items: readonly T[]): (readonly [T, T])[] {
  return items.flatMap((first, index) => items.slice(index + 1).map((second) => [first, second] as const));
}
