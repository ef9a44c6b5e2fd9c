/** The worker that all tabs of a browser share: it has the one connection to the server while there is a tab. */
import { pageClock } from "./page-clock.ts";
import { TabConnection } from "./port-streams.ts";
import { openSocketStreams } from "./open-socket-streams.ts";
import type { Streams } from "./streams.ts";

const tabs = new Set<TabConnection>();
let streams: Streams | undefined;

function connect(port: MessagePort): void {
  streams ??= openSocketStreams();
  const tab = new TabConnection(port, {
    streams,
    clock: pageClock,
    onGone() {
      tabs.delete(tab);
      port.close();
      if (tabs.size > 0) return;
      streams?.close();
      streams = undefined;
    },
  });
  tabs.add(tab);
}

addEventListener("connect", (event) => {
  if (!(event instanceof MessageEvent)) return;
  for (const port of event.ports) connect(port);
});
