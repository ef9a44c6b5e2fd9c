import type { Problem } from "./problem.ts";

export interface DepthLimits {
  readonly maxDepth?: number;
  /** How many values, counting those inside of objects and arrays. */
  readonly maxValues?: number;
}

/**
 * Refuses what is nested deeper or holds more values than any object of the API needs, before anything recurses into
 * it. Walks level by level, without recursion of its own, so that depth costs no stack.
 */
export function checkDepth(value: unknown, limits: DepthLimits = {}): Problem | undefined {
  const { maxDepth = 32, maxValues = 100_000 } = limits;
  let level = nested(value);
  let values = 1;
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > maxDepth) return { path: "", message: `must not be nested deeper than ${maxDepth} levels` };
    const next: object[] = [];
    for (const parent of level) {
      const children: readonly unknown[] = Array.isArray(parent) ? parent : Object.values(parent);
      values += children.length;
      if (values > maxValues) return { path: "", message: `must not hold more than ${maxValues} values` };
      for (const child of children) if (typeof child === "object" && child !== null) next.push(child);
    }
    level = next;
  }
  return undefined;
}

function nested(value: unknown): object[] {
  return typeof value === "object" && value !== null ? [value] : [];
}
