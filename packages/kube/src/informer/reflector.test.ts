import { ManualClock } from "@bowline/core/testing";
import { expect, it } from "vitest";

import { resources } from "../client/resources.ts";
import { ScriptedServer } from "../testing/scripted-server.ts";
import { createInformer } from "./informer.ts";

it("waits when what it reads after an expired watch expires, too", async () => {
  await using server = await ScriptedServer.start();
  const informer = createInformer({
    transport: server.transport,
    resource: resources.pods,
    project: (object) => object,
    clock: new ManualClock(),
    onError: () => {},
  });
  await using _ = { [Symbol.asyncDispose]: () => informer.stop() };
  informer.start();
  (await server.next()).open().bookmark("10", true);
  (await server.next())
    .open()
    .bookmark("11")
    .event("ERROR", { kind: "Status", code: 410, reason: "Expired" });
  (await server.next()).status(410, "Expired");
  await expect.poll(() => informer.state()).toMatchObject({ phase: "waiting", failures: 2 });
});
