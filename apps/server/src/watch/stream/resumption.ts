import { parseRevision, type LogItem } from "@bowline/store";

import type { WatchView } from "./watch-view.ts";
import type { Opening } from "./watcher.ts";

/** The opening of a watch that goes on from a position: nothing, once it is known that the log reaches back so far. */
// oxlint-disable-next-line require-yield -- an opening that sends nothing
export async function* resumption<Item extends LogItem>(
  view: Pick<WatchView<Item>, "read">,
  since: string,
): Opening {
  const position = parseRevision(since);
  await view.read(position, 1);
  return position;
}
