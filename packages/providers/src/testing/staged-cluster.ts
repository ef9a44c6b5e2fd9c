import { inspect } from "node:util";

import { createLogger, serializeError } from "@bowline/core";
import { expect } from "vitest";

import {
  advance,
  type Call,
  type ProviderAnswer,
  type ProviderGoal,
  type ProviderState,
  type ProviderWork,
  type WantedCluster,
} from "../provider.ts";
import type { ResourceRecord, ResourceRecords } from "../resource-record.ts";
import { MemoryRecords } from "./memory-records.ts";
import { MortalCalls } from "./mortal-calls.ts";
import type { ProviderStage, ProviderWorld } from "./provider-stage.ts";
import { testWork } from "./provider-work.ts";

/** More rounds than any provider needs for one cluster. */
const mostRounds = 500;
const usualRoundMs = 5_000;

/** One process: what it does, and when it dies. */
export interface ProcessCalls {
  readonly call: Call;
  readonly isDead: boolean;
  writesTo(records: ResourceRecords): ResourceRecords;
}

interface RunOptions {
  readonly until: ProviderState;
  readonly calls?: ProcessCalls;
  /** Errors after which a round is tried again; all others fail the test. */
  readonly tolerates?: (error: unknown) => boolean;
}

/** The same cluster in the same world, under the hands of one process after another. */
export class StagedCluster {
  readonly records = new MemoryRecords();
  readonly world: ProviderWorld;
  readonly #stage: ProviderStage;
  spec: WantedCluster["spec"];
  /** Everything that a person could come to read. */
  readonly told: string[] = [];

  constructor(stage: ProviderStage, world: ProviderWorld) {
    this.#stage = stage;
    this.world = world;
    this.spec = stage.spec;
  }

  /** What a process that starts now works with. */
  work(calls: ProcessCalls = new MortalCalls()): ProviderWork {
    const { told } = this;
    const isCutByRecords = this.#stage.cuts !== "calls";
    return {
      ...testWork({ ...this.world.cluster, spec: this.spec }),
      records: isCutByRecords ? calls.writesTo(this.records) : this.records,
      call: calls.call,
      credential: (name) => this.#credential(name),
      clock: this.world.clock,
      logger: createLogger({
        name: "contract",
        level: "trace",
        destination: { write: (line: string) => told.push(line) },
      }),
    };
  }

  /** Rounds of one process, until the cluster is in that state or the process has died. */
  async run(goal: ProviderGoal, options: RunOptions): Promise<ProviderAnswer | "died"> {
    const { until, calls = new MortalCalls(), tolerates = () => false } = options;
    const [provider, work] = [this.world.provider(), this.work(calls)];
    let last: unknown;
    for (let round = 0; round < mostRounds; round += 1) {
      const outcome = await this.#heard(advance(provider, work, goal));
      if (calls.isDead) return "died";
      if ("error" in outcome && !tolerates(outcome.error)) throw outcome.error;
      last = "error" in outcome ? outcome.error : outcome.answer;
      const answer = "error" in outcome ? undefined : outcome.answer;
      if (answer?.state === until) return answer;
      await this.world.pass(answer?.retryAfterMs ?? usualRoundMs);
    }
    throw new Error(`After ${mostRounds} rounds the cluster was not ${until}: ${inspect(last)}`);
  }

  /** One round of a new process, and what came of it. */
  round(goal: ProviderGoal, calls = new MortalCalls()): Promise<Outcome> {
    return this.#heard(advance(this.world.provider(), this.work(calls), goal));
  }

  async create(calls?: ProcessCalls): Promise<ProviderAnswer | "died"> {
    return this.run("present", { until: "ready", ...(calls === undefined ? {} : { calls }) });
  }

  async delete(calls?: ProcessCalls): Promise<ProviderAnswer | "died"> {
    return this.run("absent", { until: "gone", ...(calls === undefined ? {} : { calls }) });
  }

  /** The values of its Credentials, which may turn up nowhere. */
  get secrets(): readonly string[] {
    return Object.values(this.#stage.credentials ?? {}).flatMap((data) => Object.values(data));
  }

  async #heard(round: Promise<ProviderAnswer>): Promise<Outcome> {
    const outcome: Outcome = await round.then(
      (answer) => ({ answer }),
      (error: unknown) => ({ error }),
    );
    if ("answer" in outcome) {
      this.told.push(JSON.stringify(outcome.answer));
      expectFit(outcome.answer);
    } else {
      this.told.push(inspect(outcome.error, { depth: 8 }), JSON.stringify(serializeError(outcome.error)));
    }
    expectRecordsFit(await this.records.list());
    return outcome;
  }

  #credential(name: string): Promise<Readonly<Record<string, string>>> {
    const data = this.#stage.credentials?.[name];
    if (data === undefined) return testWork({ spec: this.spec }).credential(name);
    return Promise.resolve(data);
  }
}

export type Outcome = { readonly answer: ProviderAnswer } | { readonly error: unknown };

/** Opens a world with a cluster in it for the time of `use`. */
export async function staged<T>(
  stage: ProviderStage,
  use: (cluster: StagedCluster) => Promise<T>,
): Promise<T> {
  await using world = await stage.openWorld();
  const cluster = new StagedCluster(stage, world);
  const result = await use(cluster);
  await expectNoSecret(cluster);
  return result;
}

export async function expectComplete({ world, spec }: StagedCluster): Promise<void> {
  expect(await world.inventory()).toEqual(world.complete(spec));
}

/** Nothing is there, and nobody believes that something is. */
export async function expectNothing({ world, records }: StagedCluster): Promise<void> {
  expect(await world.inventory()).toEqual({});
  const left = (await records.list()).filter(({ state }) => state !== "gone");
  expect(left, "records of things that are not known to be gone").toEqual([]);
}

/** No value of a Credential, and none of the given texts, is in what was told or written down. */
export async function expectNoSecret(cluster: StagedCluster, others: readonly string[] = []): Promise<void> {
  const secrets = [...cluster.secrets, ...others].flatMap((secret) => [
    secret,
    JSON.stringify(secret).slice(1, -1),
  ]);
  const all = [...cluster.told, JSON.stringify(await cluster.records.list())];
  const leaks = all.filter((text) => secrets.some((secret) => text.includes(secret)));
  expect(leaks, "texts with a secret in them").toEqual([]);
}

/** An answer becomes the status of a Cluster as it is. */
function expectFit({ reason, message, step, retryAfterMs }: ProviderAnswer): void {
  if (reason !== undefined) expect(reason).toMatch(/^[A-Z][A-Za-z0-9]{0,127}$/);
  if (message !== undefined) expect(message.length, "letters of the message").toBeLessThanOrEqual(4096);
  if (retryAfterMs !== undefined) expect(retryAfterMs).toBeGreaterThanOrEqual(0);
  if (step === undefined) return;
  expect(step.text).toMatch(/^[^\p{Cc}]{1,253}$/u);
  expect(step.number).toBeGreaterThanOrEqual(1);
  expect(step.of).toBeGreaterThanOrEqual(step.number);
}

function expectRecordsFit(records: readonly ResourceRecord[]): void {
  for (const { step, attributes } of records) {
    const bytes = Buffer.byteLength(JSON.stringify(attributes));
    expect(bytes, `bytes that are remembered of ${step}`).toBeLessThanOrEqual(256 * 1024);
  }
}
