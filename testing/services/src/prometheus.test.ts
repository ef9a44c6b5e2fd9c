import { expect, it, onTestFinished } from "vitest";

import { startPrometheus } from "./prometheus.ts";

it("answers what it has measured of itself, until it is stopped", async () => {
  const server = await startPrometheus();
  onTestFinished(() => server.stop());
  const ask = async (): Promise<string> =>
    (await fetch(`http://127.0.0.1:${server.port}/api/v1/query?query=up`)).text();
  await expect.poll(ask).toContain('"job":"itself"');
  await server.stop();
  await expect(ask()).rejects.toThrow("fetch failed");
});
