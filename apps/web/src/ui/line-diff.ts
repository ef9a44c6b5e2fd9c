/** A line of two texts laid over each other. */
export interface DiffLine {
  readonly kind: "same" | "gone" | "come";
  readonly text: string;
}

/** A run of lines that are shown, or a number of equal ones that are folded away. */
export type DiffPart = { readonly lines: readonly DiffLine[] } | { readonly folded: number };

/** The exact difference of two texts that share nothing takes forever, and nobody would read it. */
const maxEdits = 500;

/** The fewest lines that have to go and to come to make one text of the other, after Myers. */
export function diffLines(before: readonly string[], after: readonly string[]): DiffLine[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  ) {
    end += 1;
  }
  const same = (text: string): DiffLine => ({ kind: "same", text });
  return [
    ...before.slice(0, start).map(same),
    ...diffMiddle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...before.slice(before.length - end).map(same),
  ];
}

function diffMiddle(before: readonly string[], after: readonly string[]): DiffLine[] {
  const trace = furthestReaching(before, after);
  if (trace === undefined) {
    return [
      ...before.map((text): DiffLine => ({ kind: "gone", text })),
      ...after.map((text): DiffLine => ({ kind: "come", text })),
    ];
  }
  const lines: DiffLine[] = [];
  let x = before.length;
  let y = after.length;
  for (let edits = trace.length - 1; edits >= 0; edits -= 1) {
    const reach = trace[edits] ?? new Map<number, number>();
    const k = x - y;
    const isDown = k === -edits || (k !== edits && reachOf(reach, k - 1) < reachOf(reach, k + 1));
    const previousX = edits === 0 ? 0 : reachOf(reach, isDown ? k + 1 : k - 1);
    const previousY = edits === 0 ? 0 : previousX - (isDown ? k + 1 : k - 1);
    while (x > previousX && y > previousY) {
      lines.push({ kind: "same", text: before[x - 1] ?? "" });
      x -= 1;
      y -= 1;
    }
    if (edits === 0) break;
    lines.push(
      isDown ? { kind: "come", text: after[y - 1] ?? "" } : { kind: "gone", text: before[x - 1] ?? "" },
    );
    x = previousX;
    y = previousY;
  }
  return lines.toReversed();
}

/** For each number of edits, how far one got on each diagonal with one edit less; undefined when there are too many. */
function furthestReaching(
  before: readonly string[],
  after: readonly string[],
): ReadonlyMap<number, number>[] | undefined {
  const trace: ReadonlyMap<number, number>[] = [];
  const reach = new Map<number, number>([[1, 0]]);
  const most = Math.min(before.length + after.length, maxEdits);
  for (let edits = 0; edits <= most; edits += 1) {
    trace.push(new Map(reach));
    for (let k = -edits; k <= edits; k += 2) {
      const isDown = k === -edits || (k !== edits && reachOf(reach, k - 1) < reachOf(reach, k + 1));
      let x = isDown ? reachOf(reach, k + 1) : reachOf(reach, k - 1) + 1;
      while (x < before.length && x - k < after.length && before[x] === after[x - k]) x += 1;
      reach.set(k, x);
      if (x >= before.length && x - k >= after.length) return trace;
    }
  }
  return undefined;
}

function reachOf(reach: ReadonlyMap<number, number>, k: number): number {
  return reach.get(k) ?? 0;
}

/** Equal lines that are further than `context` from every other are folded; a fold is never a single line. */
export function foldSame(lines: readonly DiffLine[], context: number): DiffPart[] {
  const isNear = lines.map(() => false);
  lines.forEach(({ kind }, index) => {
    if (kind === "same") return;
    const last = Math.min(lines.length - 1, index + context);
    for (let near = Math.max(0, index - context); near <= last; near += 1) isNear[near] = true;
  });
  const parts: DiffPart[] = [];
  for (let from = 0; from < lines.length;) {
    let to = from;
    while (to < lines.length && isNear[to] === isNear[from]) to += 1;
    const run = lines.slice(from, to);
    parts.push(isNear[from] === true || run.length < 2 ? { lines: run } : { folded: run.length });
    from = to;
  }
  return parts;
}
