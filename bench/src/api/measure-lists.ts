import type { MeasuredServer } from "./measured-server.ts";
import { measureRate, type Rate } from "./measure-rate.ts";
import { largeCount, smallCount, type Stage } from "./stage.ts";

/** Lists of 100 out of few and out of many objects. */
export interface ListsRound {
  readonly smallFirst: Rate;
  readonly largeFirst: Rate;
  readonly smallMiddle: Rate;
  readonly largeMiddle: Rate;
}

const durationMs = 1000;

/** In turns as well. The first round warms both servers up and is not counted. */
export async function measureLists(
  stage: Stage,
  { small, large }: { readonly small: MeasuredServer; readonly large: MeasuredServer },
): Promise<ListsRound[]> {
  const { context } = stage;
  const smallCursor = await small.cursorAfter(smallCount / 2);
  const largeCursor = await large.cursorAfter(largeCount / 2);
  const list = (server: MeasuredServer, cursor?: string): Promise<Rate> =>
    measureRate(stage, server, "list", { durationMs, cursor });
  const rounds: ListsRound[] = [];
  for (let round = 0; round <= context.rounds; round++) {
    context.signal.throwIfAborted();
    context.progress(
      `round ${round} of ${context.rounds}: lists of 100 out of ${smallCount} and ${largeCount}`,
    );
    rounds.push({
      smallFirst: await list(small),
      largeFirst: await list(large),
      smallMiddle: await list(small, smallCursor),
      largeMiddle: await list(large, largeCursor),
    });
  }
  return rounds.slice(1);
}
