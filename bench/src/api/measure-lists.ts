import type { MeasuredServer } from "./measured-server.ts";
import { measureRate, type Rate } from "./measure-rate.ts";
import { largeCount, smallCount, type Stage } from "./stage.ts";

/** Lists of 100 out of few and out of many objects. */
export interface ListsSlice {
  readonly smallFirst: Rate;
  readonly largeFirst: Rate;
  readonly smallMiddle: Rate;
  readonly largeMiddle: Rate;
}

const warmUpMs = 1500;
const sliceMs = 300;
const slicesPerRound = 4;

/** In turns as well. */
export async function measureLists(
  stage: Stage,
  { small, large }: { readonly small: MeasuredServer; readonly large: MeasuredServer },
): Promise<ListsSlice[]> {
  const { rounds, progress, signal } = stage.context;
  const smallCursor = await small.cursorAfter(smallCount / 2);
  const largeCursor = await large.cursorAfter(largeCount / 2);
  const measure = async (durationMs: number): Promise<ListsSlice> => {
    signal.throwIfAborted();
    const list = (server: MeasuredServer, cursor?: string): Promise<Rate> =>
      measureRate(stage, server, "list", { durationMs, cursor });
    return {
      smallFirst: await list(small),
      largeFirst: await list(large),
      smallMiddle: await list(small, smallCursor),
      largeMiddle: await list(large, largeCursor),
    };
  };
  progress(`lists of 100 out of ${smallCount} and ${largeCount}`);
  await measure(warmUpMs);
  const slices: ListsSlice[] = [];
  for (let slice = 0; slice < rounds * slicesPerRound; slice++) slices.push(await measure(sliceMs));
  return slices;
}
