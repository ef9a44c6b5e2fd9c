import { deepEqual } from "../schema/json-value.ts";

/**
 * A set of fields in the form `managedFields` stores it (FieldsV1): a tree whose keys are path elements. A node
 * without keys is a member of the set; a node with keys is one only if it holds a `.`. Sets are never changed, so
 * they share parts freely with each other and with stored objects.
 */
export interface FieldSet {
  readonly [element: string]: FieldSet;
}

const self = ".";
export const emptySet: FieldSet = Object.freeze({});

export function isEmpty(set: FieldSet): boolean {
  for (const _ in set) return false;
  return true;
}

export function setsEqual(left: FieldSet, right: FieldSet): boolean {
  return deepEqual(left, right);
}

/** A node of the tree: a member or not, with what lies below. Undefined if it holds nothing. */
export function node(isMember: boolean, children: FieldSet): FieldSet | undefined {
  if (isEmpty(children)) return isMember ? emptySet : undefined;
  return isMember ? { [self]: emptySet, ...children } : children;
}

function isMember(set: FieldSet): boolean {
  return Object.hasOwn(set, self) || isEmpty(set);
}

export function has(set: FieldSet, path: readonly string[]): boolean {
  let current = set;
  for (const element of path) {
    const next = current[element];
    if (next === undefined) return false;
    current = next;
  }
  return path.length > 0 && isMember(current);
}

export function union(left: FieldSet, right: FieldSet): FieldSet {
  if (left === right || isEmpty(right)) return left;
  if (isEmpty(left)) return right;
  const result: Record<string, FieldSet> = { ...left };
  for (const [element, below] of Object.entries(right)) {
    const known = left[element];
    result[element] = known === undefined ? below : unionOfNodes(known, below);
  }
  return result;
}

function unionOfNodes(left: FieldSet, right: FieldSet): FieldSet {
  const below = union(withoutSelf(left), withoutSelf(right));
  return node(isMember(left) || isMember(right), below) ?? emptySet;
}

/** What is in `left` and not in `right`. Taking away a field does not take away what lies below it. */
export function difference(left: FieldSet, right: FieldSet): FieldSet {
  return combine(left, right, (mine, other) => {
    if (other === undefined) return mine;
    return node(isMember(mine) && !isMember(other), difference(withoutSelf(mine), other));
  });
}

export function intersection(left: FieldSet, right: FieldSet): FieldSet {
  return combine(left, right, (mine, other) => {
    if (other === undefined) return undefined;
    return node(isMember(mine) && isMember(other), intersection(withoutSelf(mine), other));
  });
}

type Combination = (mine: FieldSet, other: FieldSet | undefined) => FieldSet | undefined;

function combine(left: FieldSet, right: FieldSet, combination: Combination): FieldSet {
  const result: Record<string, FieldSet> = {};
  let unchanged = true;
  for (const [element, below] of Object.entries(left)) {
    if (element === self) continue;
    const combined = combination(below, right[element]);
    if (combined !== undefined) result[element] = combined;
    unchanged &&= combined === below;
  }
  return unchanged ? left : result;
}

function withoutSelf(set: FieldSet): FieldSet {
  if (!Object.hasOwn(set, self)) return set;
  const { [self]: _, ...children } = set;
  return children;
}

/** Every member's path, those of one level before those below, in the order the server reports them. */
export function* paths(set: FieldSet, prefix: readonly string[] = []): Generator<readonly string[]> {
  const elements = Object.keys(set)
    .filter((element) => element !== self)
    .toSorted();
  for (const element of elements) {
    const below = set[element];
    if (below !== undefined && isMember(below)) yield [...prefix, element];
  }
  for (const element of elements) {
    const below = set[element];
    if (below !== undefined && !isEmpty(below)) yield* paths(below, [...prefix, element]);
  }
}

/** Sets are shared between writes, so each part is put in order only once. */
const inOrder = new WeakSet<FieldSet>();

/** The same set with every level in a fixed order, as clients see it. */
export function sorted(set: FieldSet): FieldSet {
  if (inOrder.has(set)) return set;
  const elements = Object.keys(set);
  const entries = elements.toSorted().map((element) => [element, sorted(set[element] ?? emptySet)] as const);
  const isSorted = entries.every(
    ([element, below], at) => element === elements[at] && below === set[element],
  );
  const result: FieldSet = isSorted ? set : Object.fromEntries(entries);
  inOrder.add(result);
  return result;
}
