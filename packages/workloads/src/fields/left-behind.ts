import { isRecord, type PathPart } from "@bowline/core";
import type { KubeObject } from "@bowline/kube";

import { fieldManager } from "../workload.ts";
import { isApplyOf, isItemKey, unionOfFields, type FieldTree } from "./owned-fields.ts";

/** An object within an object that should go as a whole. */
export interface LeftField {
  /** Where it is in the cluster. */
  readonly place: readonly PathPart[];
  /** Where it would be in what is wanted. */
  readonly wantedPlace: readonly PathPart[];
}

/** The same place in the cluster, in what is wanted, in our fields and in those of others. */
interface Spot {
  readonly live: unknown;
  readonly wanted: unknown;
  readonly ours: FieldTree;
  readonly others: FieldTree;
  readonly place: readonly PathPart[];
  readonly wantedPlace: readonly PathPart[];
}

interface LeftOptions {
  /** Whether a manager is one whose fields become ours. */
  readonly isTaken: (manager: string) => boolean;
}

/**
 * Objects of which an apply would leave something behind: parts of them are ours and not wanted any more, and nobody
 * else owns a part, but the server has filled in more, or somebody whose fields become ours has. A probe without its
 * command keeps its numbers then, which is not valid, or worse, is.
 */
export function leftBehind(live: KubeObject, wanted: KubeObject, { isTaken }: LeftOptions): LeftField[] {
  const entries = (live.metadata.managedFields ?? []).filter(({ subresource = "" }) => subresource === "");
  const own = entries.find((entry) => isApplyOf(entry, fieldManager));
  // Fields of another version may have other names.
  if (own?.fieldsV1 === undefined || own.apiVersion !== wanted.apiVersion) return [];
  const foreign = entries.filter(({ manager = "" }) => manager !== fieldManager && !isTaken(manager));
  const others = foreign.reduce<FieldTree>((all, { fieldsV1 = {} }) => unionOfFields(all, fieldsV1), {});
  // Labels and annotations have no parts that anybody fills in.
  const { "f:metadata": _, ...ours } = own.fieldsV1;
  return [...leftIn({ live, wanted, ours, others, place: [], wantedPlace: [] })];
}

function* leftIn(spot: Spot): Generator<LeftField> {
  for (const key of Object.keys(spot.ours)) {
    if (key.startsWith("f:")) yield* leftInField(spot, key);
    else if (key.startsWith("k:")) yield* leftInItem(spot, key);
  }
}

function* leftInField(spot: Spot, key: string): Generator<LeftField> {
  const { live, wanted, ours, others } = spot;
  if (!isRecord(live) || !isRecord(wanted)) return;
  const name = key.slice(2);
  const [child, wish, fields] = [live[name], wanted[name], asTree(ours[key])];
  const [place, wantedPlace] = [
    [...spot.place, name],
    [...spot.wantedPlace, name],
  ];
  if (wish !== undefined && wish !== null) {
    yield* leftIn({
      live: child,
      wanted: wish,
      ours: fields,
      others: asTree(others[key]),
      place,
      wantedPlace,
    });
  } else if (isRecord(child) && others[key] === undefined && hasMore(child, fields)) {
    yield { place, wantedPlace };
  }
}

/** An item that is not wanted any more goes as a whole in every version. */
function* leftInItem(spot: Spot, key: string): Generator<LeftField> {
  const [items, wishes] = [asList(spot.live), asList(spot.wanted)];
  const index = items.findIndex((item, at) => isItemKey(key, item, at));
  const wishIndex = wishes.findIndex((item, at) => isItemKey(key, item, at));
  if (index === -1 || wishIndex === -1) return;
  yield* leftIn({
    live: items[index],
    wanted: wishes[wishIndex],
    ours: asTree(spot.ours[key]),
    others: asTree(spot.others[key]),
    place: [...spot.place, index],
    wantedPlace: [...spot.wantedPlace, wishIndex],
  });
}

const asTree = (value: unknown): FieldTree => (isRecord(value) ? value : {});
const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Whether an object has parts that do not go with what we own of it; one within it would stay as an empty one. */
function hasMore(value: Readonly<Record<string, unknown>>, ours: FieldTree): boolean {
  const isWhole = Object.keys(ours).every((key) => key === ".");
  if (isWhole) return false;
  return Object.entries(value).some(([name, child]) => {
    const fields = ours[`f:${name}`];
    return fields === undefined || (isRecord(child) && Object.keys(asTree(fields)).length > 0);
  });
}
