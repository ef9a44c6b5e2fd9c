import { isMap, isScalar, isSeq, type LineCounter, type Node } from "yaml";

type Step = string | number;

const stepPattern = /\.?([A-Za-z_][A-Za-z0-9_-]*)|\[([0-9]+)\]|\[("(?:[^"\\]|\\.)*")\]/gy;

/** Reads a path as the server writes it into its errors: `metadata.labels["a/b"]`, `spec.clusters[0]`. */
function pathSteps(path: string): Step[] {
  const steps: Step[] = [];
  for (const [, name, index, quoted] of path.matchAll(stepPattern)) {
    if (name !== undefined) steps.push(name);
    else if (index !== undefined) steps.push(Number(index));
    else if (quoted !== undefined) steps.push(String(JSON.parse(quoted)));
  }
  return steps;
}

/** The line a path leads to, as far as it leads anywhere. */
export function lineOfPath(root: Node, path: string, lines: LineCounter): number {
  let node: unknown = root;
  let offset = root.range?.[0] ?? 0;
  for (const step of pathSteps(path)) {
    const next = stepInto(node, step);
    if (next === undefined) break;
    offset = next.offset ?? offset;
    node = next.value;
  }
  return lines.linePos(offset).line;
}

function stepInto(node: unknown, step: Step): { value: unknown; offset: number | undefined } | undefined {
  if (isMap<Node, Node | null>(node)) {
    const pair = node.items.find(({ key }) => isScalar(key) && key.value === step);
    return pair && { value: pair.value, offset: pair.key.range?.[0] };
  }
  if (isSeq<Node>(node) && typeof step === "number") {
    const item = node.items[step];
    return item && { value: item, offset: item.range?.[0] };
  }
  return undefined;
}
