import { useEffect, useState } from "react";

import layoutWorker from "../../graph/layout-worker.ts?worker&url";
import type { Positions } from "../../graph/layout.ts";
import type { Picture } from "../../graph/picture.ts";
import {
  mostAtOnce,
  outlineOf,
  placesFor,
  type NumberedOrder,
  type NumberedPlaces,
  type PlaceOrder,
} from "../../graph/places.ts";
import { trustedWorker } from "../../live/trusted-worker.ts";

export interface LayoutOptions {
  /** Of what it is the picture: of another, everything gets another place. */
  readonly of: string;
  readonly isWay: boolean;
}

/** A picture with a place for each of its nodes. */
export interface Laid {
  readonly positions: Positions;
  readonly picture: Picture;
  /** Of which focus and groups: another begins anew. */
  readonly of: string;
}

/**
 * The picture with places: in layers, and from then on where they were. A large one gets them from a worker; until it
 * has them, the picture of before stays, and of another focus there is none.
 */
export function useLayout(
  picture: Picture,
  groups: ReadonlyMap<string, string>,
  { of, isWay }: LayoutOptions,
): Laid | undefined {
  const [laid, setLaid] = useState<Laid>();
  const before = laid?.of === of ? laid : undefined;
  const known = before?.positions;
  const isDone = before?.picture === picture;
  const isWhole = known !== undefined && picture.nodes.every(({ id }) => known.has(id));
  const isLarge = picture.nodes.length > mostAtOnce;
  let now = before;
  if (!isDone && (isWhole || !isLarge)) {
    const order = { outline: picture, groups: isWay ? undefined : groups, known };
    now = { of, picture, positions: isWhole ? known : placesAtOnce(order) };
    setLaid(now);
  }
  const isMissing = !isDone && !isWhole && isLarge;
  useEffect(() => {
    if (!isMissing) return undefined;
    const order = { outline: outlineOf(picture), groups: isWay ? undefined : groups, known };
    return placesBeside(order, (positions) => setLaid({ of, picture, positions }));
  }, [isMissing, picture, groups, known, of, isWay]);
  return now;
}

function placesAtOnce(order: PlaceOrder): Positions {
  const startMs = performance.now();
  const positions = placesFor(order);
  tellDuration(order, performance.now() - startMs);
  return positions;
}

/** One for all pictures, from the first large one on. */
let worker: Worker | undefined;
let lastNumber = 0;

/** Returns what forgets the order: its answer is not looked at then. */
function placesBeside(order: PlaceOrder, onPlaces: (positions: Positions) => void): () => void {
  worker ??= new Worker(trustedWorker(layoutWorker), { type: "module", name: "bowline-layout" });
  lastNumber += 1;
  const number = lastNumber;
  const answered = new AbortController();
  const { signal } = answered;
  const take = ({ data }: MessageEvent<NumberedPlaces>): void => {
    if (data.number !== number) return;
    answered.abort();
    tellDuration(order, data.tookMs);
    onPlaces(data.positions);
  };
  worker.addEventListener("message", take, { signal });
  // A browser that starts no worker draws the picture all the same.
  const onError = (): void => {
    answered.abort();
    onPlaces(placesAtOnce(order));
  };
  worker.addEventListener("error", onError, { signal });
  worker.postMessage({ ...order, number } satisfies NumberedOrder);
  return () => answered.abort();
}

/** For whoever measures. */
function tellDuration({ outline }: PlaceOrder, tookMs: number): void {
  const end = performance.now();
  performance.measure("graph layout", { start: end - tookMs, end, detail: outline.nodes.length });
}
