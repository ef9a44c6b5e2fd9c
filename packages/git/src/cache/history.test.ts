import { describe, expect, it } from "vitest";

import { GitCache } from "../index.ts";
import { createStage } from "../testing/stage.ts";

describe("a history", () => {
  it("leads from a commit to those that follow on it, and not back", async () => {
    await using stage = await createStage();
    const cache = new GitCache({ folder: stage.workFolder, protocols: ["http"] });
    const { url, first } = stage;
    const second = await stage.repository.commit({ files: { a: "1" } });
    const third = await stage.repository.commit({ files: { a: "2" } });
    expect(await cache.isDescendant({ url, older: first, newer: third })).toBe(true);
    expect(await cache.isDescendant({ url, older: second, newer: second })).toBe(true);
    expect(await cache.isDescendant({ url, older: third, newer: second })).toBe(false);
    await expect(cache.requireDescendant({ url, older: third, newer: first })).rejects.toMatchObject({
      code: "NotDescendant",
      details: { older: third, newer: first },
    });
  });

  it("does not lead to a branch that was moved by force, nor from one that the server has forgotten", async () => {
    await using stage = await createStage();
    const cache = new GitCache({ folder: stage.workFolder, protocols: ["http"] });
    const newer = await stage.repository.commit({ files: { a: "1" }, orphan: true });
    await stage.repository.git("reflog", "expire", "--expire=now", "--all");
    await stage.repository.git("gc", "--quiet", "--prune=now");
    expect(await cache.isDescendant({ url: stage.url, older: stage.first, newer })).toBe(false);
  });

  it("is followed through many commits, and not through more than the limit", async () => {
    await using stage = await createStage();
    const newer = await stage.repository.grow(200);
    const { url, first: older } = stage;
    const cache = new GitCache({ folder: stage.workFolder, protocols: ["http"] });
    expect(await cache.isDescendant({ url, older, newer })).toBe(true);
    const bounded = new GitCache({ folder: stage.workFolder, protocols: ["http"], maxCommits: 100 });
    await expect(bounded.isDescendant({ url, older, newer })).rejects.toMatchObject({
      code: "TooLarge",
      details: { limit: 100 },
    });
  });

  it("without files does not get in the way of a later fetch with them", async () => {
    await using stage = await createStage();
    const cache = new GitCache({ folder: stage.workFolder, protocols: ["http"] });
    const { url, first } = stage;
    const newer = await stage.repository.commit({ files: { "app/b.yaml": "b\n" } });
    await cache.isDescendant({ url, older: first, newer });
    await cache.fetchCommit({ url, commit: newer });
    expect((await cache.readTree({ url, commit: newer, path: "app" })).files).toHaveLength(2);
  });
});
