import { beforeEach, expect, test } from "vitest";

import { configMap, SourceHarness } from "./testing/source-harness.ts";

const good = "Ready True Resolved, UpToDate True Resolved";

let harness: SourceHarness;

beforeEach(async () => {
  harness = await SourceHarness.open();
});

/** The value of a series; undefined while there is none. */
async function valueOf(series: string): Promise<number | undefined> {
  const lines = (await harness.metrics.text()).split("\n");
  const line = lines.find((each) => each.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

test("a commit that was fetched is counted once, with the bytes that came and the renderer", async () => {
  await harness.repository.commit({ files: { "a.yaml": configMap("a", "x".repeat(2_000)) } });
  await harness.define();
  await harness.start();
  await harness.until(good);
  expect(await valueOf('bowline_git_fetch_seconds_count{result="fetched"}')).toBe(1);
  expect(await valueOf("bowline_git_fetch_bytes_total")).toBeGreaterThan(100);
  expect(await valueOf('bowline_render_seconds_count{type="yaml",result="rendered"}')).toBe(1);
  await harness.untilPolled(2);
  expect(await valueOf('bowline_git_fetch_seconds_count{result="fetched"}')).toBe(1);
  expect(await valueOf('bowline_git_polls_total{result="answered"}')).toBeGreaterThanOrEqual(1);
});

test("a fetch that fails is counted under its error", async () => {
  await harness.repository.commit({ files: { "a.yaml": configMap("a") } });
  await harness.define();
  await harness.start();
  await harness.until(good);
  const before = (await valueOf("bowline_git_fetch_bytes_total")) ?? 0;
  const commit = await harness.repository.commit({
    files: { "kustomization.yaml": "resources: [a.yaml]\n" },
  });
  await harness.untilPolled(2);
  await harness.untilCommit(commit);
  expect(await valueOf("bowline_git_fetch_bytes_total")).toBeGreaterThan(before);
  expect(await valueOf('bowline_render_seconds_count{type="kustomize",result="rendered"}')).toBe(1);
  await harness.define({ ref: "c".repeat(40) });
  await harness.until("Ready False CommitNotFound, UpToDate False CommitNotFound");
  expect(await valueOf('bowline_git_fetch_seconds_count{result="CommitNotFound"}')).toBe(1);
});

test("a repository that does not answer is overdue, until it does", async () => {
  await harness.repository.commit({ files: { "a.yaml": configMap("a") } });
  await harness.define();
  await harness.start();
  await harness.until(good);
  await harness.untilPolled(1);
  expect(await valueOf("bowline_git_overdue")).toBe(0);
  const asked = harness.server.requests.length;
  harness.server.fault = { kind: "silent" };
  await harness
    .poll(async () => {
      await harness.clock.advance(2_000);
      return harness.server.requests.length;
    })
    .toBeGreaterThan(asked);
  await harness.clock.advance(11_000);
  expect(await valueOf("bowline_git_overdue")).toBe(1);
  expect(await valueOf("bowline_git_repositories")).toBe(1);
  harness.server.fault = undefined;
  harness.server.hangUp();
  await harness.poll(() => valueOf("bowline_git_overdue")).toBe(0);
});
