import { Health, Metrics, systemClock } from "@bowline/core";
import { expect, onTestFinished, test } from "vitest";

import { HealthPage } from "./health-page.ts";

test("an address that is taken is told, with what to do", async () => {
  const health = new Health({ name: "healthz", clock: systemClock, checkLimitMs: 1000 });
  const metrics = new Metrics({ version: "1.2.3", revision: "x" });
  const options = { host: "127.0.0.1", live: health, ready: health, metrics };
  const first = new HealthPage({ ...options, port: 0 });
  const port = Number((await first.listen()).split(":")[1]);
  onTestFinished(() => first.close());
  await expect(new HealthPage({ ...options, port }).listen()).rejects.toMatchObject({
    code: "InvalidArgument",
    message: `The health page cannot listen on 127.0.0.1:${port}: another program listens there; stop it, or choose another address with --health-listen or BOWLINE_HEALTH_LISTEN.`,
  });
});
