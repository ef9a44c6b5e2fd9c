import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { newEncryptionKey } from "@bowline/server";
import { createTempFolder, startPostgres } from "@bowline/test-services";
import { afterAll, beforeAll, expect, onTestFinished } from "vitest";

import type { Visit, VisitOptions } from "../browser/visit.ts";
import { Stage, type StageOptions } from "./stage.ts";

/** The stage of a file of tests, and visits that end with their test. */
export interface TestStage {
  readonly stage: Stage;
  /** Somebody who has not signed in. */
  visit(options?: VisitOptions): Promise<Visit>;
  /** The admin, unless a token says otherwise. */
  signIn(options?: VisitOptions & { readonly token?: string }): Promise<Visit>;
}

/** Everything is started; on a machine with other work that takes a while. */
const startLimitMs = 120_000;

/**
 * Opens one stage for all tests of a file. A test fails when its browser complained of something that the test did not
 * expect: a breach of the policy, an error on the console, an exception, a request that failed.
 */
export function useStage(options: StageOptions = {}): TestStage {
  return useOpened(() => Stage.open(options));
}

/** A stage whose server is one of several as far as it knows, and has no controllers: what they find, a test says. */
export function useStageWithoutControllers(): TestStage {
  const owned = new AsyncDisposableStack();
  afterAll(() => owned.disposeAsync(), startLimitMs);
  return useOpened(async () => {
    const { path } = owned.use(await createTempFolder("stage-without-controllers"));
    const { url } = owned.use(await startPostgres());
    const keysFile = join(path, "encryption.keys");
    await writeFile(keysFile, newEncryptionKey(), { mode: 0o600 });
    const flags = { "--role": "api", "--database-url": url, "--encryption-keys-file": keysFile };
    return Stage.open({ flags });
  });
}

function useOpened(open: () => Promise<Stage>): TestStage {
  let opened: Stage | undefined;
  beforeAll(async () => {
    opened = await open();
  }, startLimitMs);
  afterAll(() => opened?.[Symbol.asyncDispose](), startLimitMs);
  const stageNow = (): Stage => {
    if (opened === undefined) throw new Error("The stage is opened before the first test.");
    return opened;
  };
  return {
    get stage() {
      return stageNow();
    },
    visit: async (visitOptions) => untilTestEnds(await stageNow().visit(visitOptions)),
    signIn: async (visitOptions) => untilTestEnds(await stageNow().signIn(visitOptions)),
  };
}

/** A visit that ends with the test, which fails if the browser complained. */
export function untilTestEnds(visit: Visit): Visit {
  onTestFinished(async () => {
    await visit[Symbol.asyncDispose]();
    expect(visit.complaints.unexpected).toEqual([]);
  });
  return visit;
}
