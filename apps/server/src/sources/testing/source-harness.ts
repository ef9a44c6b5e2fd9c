import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";

import { Credential, WorkloadDefinition, type Author, type SpecOf } from "@bowline/api";
import { createLogger, Metrics } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import { readRevision } from "@bowline/manifests";
import type { Store } from "@bowline/store";
import { openTestStore } from "@bowline/store/testing";
import { createTempFolder } from "@bowline/test-services";
import { TestAuthority } from "@bowline/test-services/certificates";
import { GitHttpServer, TestRepository } from "@bowline/test-services/git";
import { expect, onTestFinished } from "vitest";

import type { ObjectController } from "../../controllers/object-controller.ts";
import { startControllers } from "../../controllers/start-controllers.ts";
import { definitionController } from "../definition-controller.ts";
import { openSources, type Sources } from "../open-sources.ts";

type Spec = SpecOf<typeof WorkloadDefinition>;
type Git = NonNullable<Spec["source"]["git"]>;
type CredentialSpec = SpecOf<typeof Credential>;

export const author: Author = { user: "ada", method: "token", groups: [], role: "editor" };

export const configMap = (name: string, value = "1"): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata: {value: "${value}"}\n`;

/** More than there ever is from one look for new commits to the next. */
const longestPauseMs = 2 * 3_600_000;

export interface RunningServer {
  stop(): Promise<void>;
}

/** A repository behind a real server with TLS, and the controller that reads it; time passes by hand. */
export class SourceHarness {
  readonly clock = new ManualClock();
  readonly store: Store;
  readonly repository: TestRepository;
  readonly server: GitHttpServer;
  /** Of the life that was started last. */
  metrics = new Metrics({ version: "test", revision: "test" });
  /** Everything that was logged. */
  readonly logged: string[] = [];
  readonly caPem: string;
  readonly folder: string;

  private constructor(parts: {
    readonly store: Store;
    readonly repository: TestRepository;
    readonly server: GitHttpServer;
    readonly caPem: string;
    readonly folder: string;
  }) {
    this.store = parts.store;
    this.repository = parts.repository;
    this.server = parts.server;
    this.caPem = parts.caPem;
    this.folder = parts.folder;
  }

  static async open(): Promise<SourceHarness> {
    const stack = new AsyncDisposableStack();
    onTestFinished(() => stack.disposeAsync());
    const folder = stack.use(await createTempFolder("sources")).path;
    const served = join(folder, "served");
    const repository = await TestRepository.create(served);
    const authority = await TestAuthority.create();
    const tls = await authority.issue({ commonName: "server" });
    const server = stack.use(await GitHttpServer.start({ folder: served, tls }));
    const store = await openTestStore({ type: "sqlite", file: ":memory:" });
    const harness = new SourceHarness({ store, repository, server, caPem: authority.cert, folder });
    await harness.credential({ type: "tls", data: {} });
    return harness;
  }

  /** With what the server of the repository needs beside it. */
  async credential({ data = {}, ...spec }: CredentialSpec, name = "git"): Promise<void> {
    const whole = { hosts: ["127.0.0.1"], ...spec, data: { caPem: this.caPem, ...data } };
    const metadata = { name, labels: {}, annotations: {} };
    await this.store.objects.write(Credential, name, () => ({ metadata, spec: whole }), { author });
  }

  async define(git: Partial<Git> = {}, spec: Partial<Spec> = {}, name = "web"): Promise<void> {
    const source = {
      git: { url: this.server.url(), ref: "main", path: ".", interval: "1m", credential: "git", ...git },
    };
    const metadata = { name, labels: {}, annotations: {} };
    const whole = { source, parameters: [], ...spec };
    await this.store.objects.write(WorkloadDefinition, name, () => ({ metadata, spec: whole }), { author });
  }

  /** Another life of the server, on the same store. */
  async start(
    others: (sources: Sources) => readonly ObjectController[] = () => [],
    store = this.store,
  ): Promise<RunningServer> {
    const { clock } = this;
    this.metrics = new Metrics({ version: "test", revision: "test" });
    const host = {
      store,
      clock,
      random: () => 0.5,
      logger: createLogger({
        name: "test",
        level: "trace",
        destination: { write: (line: string) => void this.logged.push(line) },
      }),
      metrics: this.metrics,
      owner: "test",
    };
    const sources = openSources({ ...host, folder: this.folder, renderers: ["kustomize", "helm"] });
    const controllers = startControllers({
      ...host,
      controllers: [definitionController(sources.resolver), ...others(sources)],
    });
    await sources.poll(controllers.broker);
    let stopped: Promise<void> | undefined;
    const stop = async (): Promise<void> => {
      const stopping = controllers.stop();
      await this.#creepUntil(stopping);
      await sources.close();
    };
    const once = (): Promise<void> => (stopped ??= stop());
    onTestFinished(once);
    return { stop: once };
  }

  /** Time creeps on while it ends. */
  async #creepUntil(end: Promise<void>): Promise<void> {
    const waiting = new Set([end]);
    const over = end.finally(() => waiting.clear());
    while (waiting.size > 0) {
      await this.clock.advance(10);
      await nextTurn();
    }
    await over;
  }

  async definition(name = "web"): Promise<WorkloadDefinition> {
    const found = await this.store.objects.get(WorkloadDefinition, name);
    if (found === undefined) throw new Error(`there is no definition ${name}`);
    return found;
  }

  /** `Ready True Resolved, UpToDate True Resolved` or the like. */
  async said(name = "web"): Promise<string> {
    const { status } = await this.definition(name);
    return status.conditions
      .map(({ type, status: holds, reason }) => `${type} ${holds} ${reason}`)
      .toSorted()
      .join(", ");
  }

  /** Waits until the definition says so; what is due now is done meanwhile. */
  async until(said: string, name = "web"): Promise<void> {
    await this.poll(() => this.said(name)).toBe(said);
  }

  async untilCommit(commit: string, name = "web"): Promise<void> {
    await this.poll(async () => (await this.definition(name)).status.revision?.commit).toBe(commit);
  }

  /**
   * Lets time pass until so many more looks for new commits have been answered or have failed: the second of them began
   * after the call. Time stands still while a repository has not answered that was due.
   */
  async untilPolled(times: number): Promise<void> {
    const wanted = (await this.#valueOf("bowline_git_polls_total")) + times;
    const endMs = this.clock.monotonicMs() + times * longestPauseMs;
    while ((await this.#valueOf("bowline_git_polls_total")) < wanted) {
      if (this.clock.monotonicMs() > endMs) throw new Error("No repository is asked any more.");
      await this.clock.advance(5_000);
      await this.#standing(() => this.#valueOf("bowline_git_overdue")).toBe(0);
    }
  }

  /** The sum of all series of a metric. */
  async #valueOf(metric: string): Promise<number> {
    const lines = (await this.metrics.text()).split("\n");
    const series = lines.filter((line) => line.startsWith(`${metric} `) || line.startsWith(`${metric}{`));
    return series.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" ") + 1)), 0);
  }

  /** Names of the objects in the revision that the definition has now. */
  async objects(name = "web"): Promise<string[]> {
    const { id = "" } = (await this.definition(name)).status.revision ?? {};
    const content = (await this.store.revisions.content(id)) ?? "";
    return readRevision({ id, content }).objects.map(({ metadata }) => metadata.name);
  }

  async events(): Promise<string[]> {
    const { items } = await this.store.events.list();
    return items.map(({ reason }) => reason);
  }

  /** How often the server was asked for its refs; each of our questions is one or two requests. */
  get questions(): number {
    return this.server.requests.filter(({ method }) => method === "POST").length;
  }

  /** Asks again until it is so; what is due now is done meanwhile. */
  poll<T>(read: () => Promise<T>): ReturnType<typeof expect.poll<T>> {
    const creep = async (): Promise<T> => {
      await this.clock.advance(10);
      return read();
    };
    return this.#standing(creep);
  }

  /** Asks again until it is so, while time stands still. */
  #standing<T>(read: () => Promise<T>): ReturnType<typeof expect.poll<T>> {
    return expect.poll(read, { interval: 5, timeout: 20_000 });
  }
}
