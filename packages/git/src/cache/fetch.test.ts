import { randomBytes } from "node:crypto";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { GitCache, type FetchFigures, type GitCacheOptions } from "../index.ts";
import { createStage, type Stage } from "../testing/stage.ts";
import { folderBytes } from "./repository-folder.ts";

const cacheOf = (stage: Stage, options: Partial<GitCacheOptions> = {}): GitCache =>
  new GitCache({ folder: stage.workFolder, protocols: ["http", "file"], ...options });

const filesBelow = async (folder: string): Promise<string[]> => readdir(folder, { recursive: true });

const leftovers = async (stage: Stage): Promise<string[]> =>
  (await filesBelow(stage.workFolder)).filter((name) => /tmp_|\.lock$|private-|new-/u.test(name));

describe("a commit", () => {
  it("is fetched once, without its history and without files over the limit", async () => {
    await using stage = await createStage();
    await stage.repository.commit({ files: { large: randomBytes(2_000_000) } });
    const commit = await stage.repository.commit({ files: { "app/new.yaml": "a: 1\n" } });
    const cache = cacheOf(stage);
    expect(await cache.fetchCommit({ url: stage.url, commit })).toBe(true);
    const before = stage.server.requests.length;
    expect(await cache.fetchCommit({ url: stage.url, commit })).toBe(false);
    expect(stage.server.requests).toHaveLength(before);
    expect(await folderBytes(stage.workFolder)).toBeLessThan(50_000);
    const { files } = await cache.readTree({ url: stage.url, commit, path: "app" });
    expect(files.map(({ path }) => path)).toEqual(["new.yaml", "web.yaml"]);
    await expect(cache.readTree({ url: stage.url, commit: stage.first, path: "app" })).rejects.toMatchObject({
      code: "CommitNotFound",
    });
    // Reading must not have fetched what the filter left out.
    await expect(cache.readTree({ url: stage.url, commit, path: "." })).rejects.toMatchObject({
      code: "TooLarge",
      details: { path: "large", limit: 1_048_576 },
    });
    expect(stage.server.requests).toHaveLength(before);
  });

  it("that follows on another is fetched into the same repository", async () => {
    await using stage = await createStage();
    const cache = cacheOf(stage);
    await cache.fetchCommit({ url: stage.url, commit: stage.first });
    const commit = await stage.repository.commit({ files: { "app/second.yaml": "b: 2\n" } });
    await cache.fetchCommit({ url: stage.url, commit });
    const { files } = await cache.readTree({ url: stage.url, commit, path: "app" });
    expect(files.map(({ path }) => path)).toEqual(["second.yaml", "web.yaml"]);
    expect(await readdir(join(stage.workFolder, "repositories"))).toHaveLength(1);
  });

  it("comes from a server that ignores filters, and from one that refuses them", async () => {
    await using stage = await createStage();
    const commit = await stage.repository.commit({ files: { large: randomBytes(2_000_000) } });
    await stage.repository.configure("uploadpack.allowFilter", "false");
    await cacheOf(stage, { folder: join(stage.folder, "a") }).fetchCommit({ url: stage.url, commit });
    expect(await folderBytes(join(stage.folder, "a"))).toBeGreaterThan(2_000_000);
    await stage.repository.configure("uploadpack.allowFilter", "true");
    await stage.repository.configure("uploadpackfilter.allow", "false");
    const cache = cacheOf(stage);
    await cache.fetchCommit({ url: stage.url, commit });
    expect((await cache.readTree({ url: stage.url, commit, path: "app" })).files).toHaveLength(1);
    await expect(cache.readTree({ url: stage.url, commit, path: "large" })).rejects.toMatchObject({
      code: "TooLarge",
      details: { path: "large", actual: 2_000_000, limit: 1_048_576 },
    });
  });

  it("comes by the name of its branch where ids are refused, also when the branch has moved on", async () => {
    await using stage = await createStage();
    await stage.repository.configure("uploadpack.allowAnySHA1InWant", "false");
    stage.server.onlyOldProtocol = true;
    await stage.repository.commit({ files: { x: "1" } });
    const cache = cacheOf(stage);
    const request = { url: stage.url, commit: stage.first };
    await expect(cache.fetchCommit(request)).rejects.toMatchObject({ code: "CommitNotFound" });
    await cache.fetchCommit({ ...request, refName: "refs/heads/main" });
    expect((await cache.readTree({ ...request, path: "." })).files).toHaveLength(2);
  });

  it("that was removed by a forced push is not found, and found again when somebody looks again", async () => {
    await using stage = await createStage();
    const gone = await stage.repository.commit({ files: { x: "gone" } });
    const commit = await stage.repository.commit({ files: { x: "new" }, orphan: true });
    await stage.repository.git("reflog", "expire", "--expire=now", "--all");
    await stage.repository.git("gc", "--quiet", "--prune=now");
    const cache = cacheOf(stage);
    const request = { url: stage.url, refName: "refs/heads/main" };
    await expect(cache.fetchCommit({ ...request, commit: gone })).rejects.toMatchObject({
      code: "CommitNotFound",
      retryable: true,
    });
    expect(await cache.fetchCommit({ ...request, commit })).toBe(true);
    expect(await leftovers(stage)).toEqual([]);
  });

  it("comes from a folder too, and what is no id is refused", async () => {
    await using stage = await createStage();
    const cache = cacheOf(stage);
    const url = `file://${stage.repository.folder}`;
    expect(await cache.fetchCommit({ url, commit: stage.first })).toBe(true);
    await expect(cache.fetchCommit({ url, commit: "--upload-pack=x" })).rejects.toMatchObject({
      code: "InvalidArgument",
    });
  });
});

describe("a fetch that fails", () => {
  it("in the middle of the pack leaves nothing, and the next one works", async () => {
    await using stage = await createStage();
    const commit = await stage.repository.commit({ files: { data: randomBytes(500_000) } });
    const told: FetchFigures[] = [];
    const cache = cacheOf(stage, { onFetch: (figures) => void told.push(figures) });
    stage.server.fault = { kind: "truncate", afterBytes: 200_000, on: "objects" };
    await expect(cache.fetchCommit({ url: stage.url, commit })).rejects.toMatchObject({
      code: "ResponseInvalid",
      retryable: true,
    });
    expect(await leftovers(stage)).toEqual([]);
    stage.server.fault = undefined;
    expect(await cache.fetchCommit({ url: stage.url, commit })).toBe(true);
    expect(told.map(({ result }) => result)).toEqual(["ResponseInvalid", "fetched"]);
    const [cut, whole] = told.map(({ bytes }) => bytes);
    expect(cut).toBeLessThanOrEqual(200_000);
    expect(whole).toBeGreaterThan(500_000);
  });

  it("by taking too long, or because the caller gave up, leaves nothing", async () => {
    await using stage = await createStage();
    const commit = await stage.repository.commit({ files: { data: randomBytes(500_000) } });
    stage.server.fault = { kind: "stall", afterBytes: 200_000, on: "objects" };
    const hasty = cacheOf(stage, { fetchTimeoutMs: 300 });
    await expect(hasty.fetchCommit({ url: stage.url, commit })).rejects.toMatchObject({ code: "Timeout" });
    const cache = cacheOf(stage);
    const stop = new AbortController();
    const before = stage.server.requests.length;
    const fetching = cache.fetchCommit({ url: stage.url, commit, signal: stop.signal });
    await expect.poll(() => stage.server.requests.length).toBeGreaterThan(before + 1);
    stop.abort();
    await expect(fetching).rejects.toMatchObject({ code: "Cancelled" });
    expect(await leftovers(stage)).toEqual([]);
    stage.server.fault = undefined;
    expect(await cache.fetchCommit({ url: stage.url, commit })).toBe(true);
  });

  it("because the pack is over the limit names it, and leaves nothing", async () => {
    await using stage = await createStage();
    const commit = await stage.repository.commit({ files: { data: randomBytes(500_000) } });
    const cache = cacheOf(stage, { maxPackBytes: 100_000 });
    await expect(cache.fetchCommit({ url: stage.url, commit })).rejects.toMatchObject({
      code: "TooLarge",
      details: { limit: 100_000 },
    });
    expect(await leftovers(stage)).toEqual([]);
  });

  it.each([
    [401, "AuthFailed"],
    [403, "AuthFailed"],
    [404, "RepositoryNotFound"],
    [429, "TooManyRequests"],
    [500, "ServerError"],
  ])("with status %i is %s", async (status, code) => {
    await using stage = await createStage();
    stage.server.fault = { kind: "status", status };
    const fetching = cacheOf(stage).fetchCommit({ url: stage.url, commit: stage.first });
    await expect(fetching).rejects.toMatchObject({ code });
  });

  it("by a redirect sends nothing to the other host", async () => {
    await using stage = await createStage();
    await using elsewhere = await createStage();
    stage.server.fault = { kind: "redirect", to: elsewhere.server.origin };
    const credential = { type: "token", token: "canary-token", fingerprint: "f" } as const;
    const fetching = cacheOf(stage).fetchCommit({ url: stage.url, credential, commit: stage.first });
    await expect(fetching).rejects.toMatchObject({ code: "Redirected" });
    expect(elsewhere.server.requests).toEqual([]);
  });

  it("because nothing listens is unreachable", async () => {
    await using stage = await createStage();
    const fetching = cacheOf(stage).fetchCommit({ url: "http://127.0.0.1:1/x", commit: stage.first });
    await expect(fetching).rejects.toMatchObject({ code: "Unreachable", retryable: true });
  });
});

describe("a repository in the cache", () => {
  const repositoryIn = async (stage: Stage): Promise<string> => {
    const folder = join(stage.workFolder, "repositories");
    const [key = ""] = await readdir(folder);
    return join(folder, key, "content.git");
  };

  it("that a killed process left half done, locked or full of unfinished files is used again", async () => {
    await using stage = await createStage();
    await cacheOf(stage).fetchCommit({ url: stage.url, commit: stage.first });
    const repository = await repositoryIn(stage);
    await mkdir(join(repository, "objects", "tmp_objdir-incoming-x"));
    for (const name of [
      "shallow.lock",
      "config.lock",
      "objects/pack/tmp_pack_abc",
      "objects/pack/pack-00ff.pack",
    ]) {
      await writeFile(join(repository, name), "x");
    }
    const commit = await stage.repository.commit({ files: { y: "1" } });
    await cacheOf(stage).fetchCommit({ url: stage.url, commit });
    expect(await filesBelow(repository)).not.toContain("objects/pack/pack-00ff.pack");
    expect(await leftovers(stage)).toEqual([]);
    await rm(join(repository, "HEAD"));
    expect(await cacheOf(stage).fetchCommit({ url: stage.url, commit })).toBe(true);
  });

  it("that was broken on disk is made anew", async () => {
    await using stage = await createStage();
    await cacheOf(stage).fetchCommit({ url: stage.url, commit: stage.first });
    const repository = await repositoryIn(stage);
    await writeFile(join(repository, "config"), "[broken");
    const commit = await stage.repository.commit({ files: { y: "1" } });
    expect(await cacheOf(stage).fetchCommit({ url: stage.url, commit })).toBe(true);
  });

  it("is another for another credential, and goes when others need its room", async () => {
    await using stage = await createStage();
    const commit = await stage.repository.commit({ files: { data: randomBytes(300_000) } });
    const cache = cacheOf(stage, { maxCacheBytes: 800_000 });
    const credential = (name: string) => ({ type: "token", token: name, fingerprint: name }) as const;
    const folder = join(stage.workFolder, "repositories");
    const fetch = async (name: string): Promise<boolean> =>
      cache.fetchCommit({ url: stage.url, credential: credential(name), commit });
    await fetch("a");
    await fetch("b");
    expect(await readdir(folder)).toHaveLength(2);
    expect(await fetch("a")).toBe(false);
    await fetch("c");
    expect(await readdir(folder)).toHaveLength(2);
    expect(await fetch("a")).toBe(false);
    expect(await fetch("b")).toBe(true);
  });

  it("is used by one at a time, in turn, and many fetches of a commit are one", async () => {
    await using stage = await createStage();
    const cache = cacheOf(stage);
    const fetches = Array.from({ length: 5 }, () =>
      cache.fetchCommit({ url: stage.url, commit: stage.first }),
    );
    expect(await Promise.all(fetches)).toEqual([true, false, false, false, false]);
  });

  it("does not keep whoever gives up while waiting for a turn", async () => {
    await using stage = await createStage();
    const cache = cacheOf(stage);
    stage.server.fault = { kind: "silent" };
    const [first, second] = [new AbortController(), new AbortController()];
    const request = { url: stage.url, commit: stage.first };
    const holding = cache.fetchCommit({ ...request, signal: first.signal });
    const waiting = cache.fetchCommit({ ...request, signal: second.signal });
    await expect.poll(() => stage.server.requests.length).toBe(1);
    second.abort();
    await expect(waiting).rejects.toMatchObject({ code: "Cancelled" });
    first.abort();
    await expect(holding).rejects.toMatchObject({ code: "Cancelled" });
  });
});
