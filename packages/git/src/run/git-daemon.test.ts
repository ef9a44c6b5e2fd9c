import { join } from "node:path";

import { runGit, startGitDaemon } from "@bowline/test-services/git";
import { describe, expect, it } from "vitest";

import { GitCache, RefClient } from "../index.ts";
import { parseRepositoryUrl } from "../model/repository-url.ts";
import { createStage, type Stage } from "../testing/stage.ts";
import { GitRunner } from "./git-runner.ts";

const startDaemon = (stage: Stage) => startGitDaemon(join(stage.folder, "served"));

const refusal = {
  code: "InvalidArgument",
  message: expect.stringContaining("begins with git://, where nobody can tell who answers"),
};

describe("a repository by git://, which has neither encryption nor signing in", () => {
  it("is refused with the way out, and nobody is asked", async () => {
    await using stage = await createStage();
    await using daemon = await startDaemon(stage);
    await using refs = new RefClient({ folder: stage.workFolder });
    const cache = new GitCache({ folder: stage.workFolder });
    const url = daemon.url();
    await expect(refs.listRefs({ url, prefixes: ["refs/heads/main"] })).rejects.toMatchObject(refusal);
    await expect(cache.fetchCommit({ url, commit: stage.first })).rejects.toMatchObject(refusal);
    expect(daemon.requests()).toBe(0);
    // The daemon itself would have answered.
    expect(await runGit(["ls-remote", url], { folder: stage.folder })).toContain(stage.first);
    await expect.poll(() => daemon.requests()).toBe(1);
  });

  it("is not come to by a redirect, nor by a git that was given its address", async () => {
    await using stage = await createStage();
    await using daemon = await startDaemon(stage);
    stage.server.fault = { kind: "redirect", to: daemon.url("") };
    const cache = new GitCache({ folder: stage.workFolder, protocols: ["http"] });
    await expect(cache.fetchCommit({ url: stage.url, commit: stage.first })).rejects.toMatchObject({
      code: "Redirected",
    });
    const runner = new GitRunner({ folder: join(stage.folder, "run") });
    await using access = await runner.access(
      parseRepositoryUrl("https://git.example.com/app.git"),
      undefined,
    );
    const asked = await runner.run({ args: ["ls-remote", daemon.url()], access, timeoutMs: 20_000 });
    expect(asked.exitCode).toBe(128);
    expect(asked.complaint).toContain("transport 'git' not allowed");
    expect(daemon.requests()).toBe(0);
  });
});
