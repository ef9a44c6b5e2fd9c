import { BowlineError, Metrics, systemClock } from "@bowline/core";
import { expect, onTestFinished, test } from "vitest";

import { HealthListener } from "./health-listener.ts";
import { Health } from "./health.ts";

function pageParts() {
  const metrics = new Metrics({ version: "1.2.3", revision: "x" });
  return { ready: new Health({ clock: systemClock }), metrics };
}

test("the page says whether the program lives, whether it works and why not, and shows its metrics", async () => {
  const parts = pageParts();
  let problem: BowlineError | undefined = new BowlineError("ServerUnavailable", "Not connected yet.");
  parts.ready.add("session", () => {
    if (problem !== undefined) throw problem;
  });
  const beats = parts.metrics.counter({ name: "bowline_beats_total", help: "Of this test." });
  const page = new HealthListener({ ...parts, listen: { host: "127.0.0.1", port: 0 } });
  const address = await page.listen();
  onTestFinished(() => page.close());
  const ask = async (path: string): Promise<string> => {
    const answer = await fetch(`http://${address}${path}`);
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    expect(answer.headers.get("cache-control")).toBe("no-store");
    return `${answer.status} ${await answer.text()}`;
  };
  for (const name of ["livez", "healthz"]) {
    expect(await ask(`/${name}`)).toBe("200 ok\n");
    expect(await ask(`/${name}?verbose`)).toBe(`200 ${name} check passed\n`);
  }
  const failed = "503 [-]session failed: Not connected yet.\nreadyz check failed\n";
  expect(await ask("/readyz")).toBe(failed);
  expect(await ask("/readyz?verbose=true")).toBe(failed);
  problem = undefined;
  expect(await ask("/readyz?verbose=1")).toBe("200 [+]session ok\nreadyz check passed\n");
  expect(await ask("/readyz?verbose=false")).toBe("200 ok\n");
  beats.inc();
  expect(await ask("/metrics")).toMatch(/^bowline_beats_total 1$/mu);
  expect(await ask("/")).toMatch(/^404 There are \/livez, \/healthz/u);
});

test("metrics that cannot be made are told as such", async () => {
  const metrics = { contentType: "text/plain", text: () => Promise.reject(new Error("no such gauge")) };
  const page = new HealthListener({ ...pageParts(), metrics, listen: { host: "127.0.0.1", port: 0 } });
  const answer = await fetch(`http://${await page.listen()}/metrics`);
  onTestFinished(() => page.close());
  expect([answer.status, await answer.text()]).toEqual([500, "no such gauge\n"]);
});

test("an address that is taken is told, with what to do", async () => {
  const parts = pageParts();
  const first = new HealthListener({ ...parts, listen: { host: "127.0.0.1", port: 0 } });
  const port = Number((await first.listen()).split(":")[1]);
  onTestFinished(() => first.close());
  const second = new HealthListener({ ...parts, listen: { host: "127.0.0.1", port } });
  await expect(second.listen()).rejects.toMatchObject({
    code: "InvalidArgument",
    message: `The health page cannot listen on 127.0.0.1:${port}: another program listens there; stop it, or choose another address with --health-listen or BOWLINE_HEALTH_LISTEN.`,
  });
  await second.close();
});
