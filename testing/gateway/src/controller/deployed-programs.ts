import { BowlineError, type DeepReadonly } from "@bowline/core";
import { resources, type Informer, type KubeClient, type KubeObject } from "@bowline/kube";

import { nameOf } from "../model/snapshot.ts";
import { cacheOf } from "./cluster-cache.ts";

/** A Deployment as far as the program in it can read it. */
interface Deployment extends KubeObject {
  spec: { template: { spec: { containers: { args?: string[] }[] } } };
}

/** Starts what the first container of a Deployment would run, with its arguments. */
export type StartProgram = (args: readonly string[]) => AsyncDisposable | Promise<AsyncDisposable>;

interface DeployedProgramsOptions {
  readonly client: KubeClient;
  /** By the name of the Deployment. */
  readonly programs: Readonly<Record<string, StartProgram>>;
  readonly onError?: (error: BowlineError) => void;
}

interface RunningProgram {
  readonly args: readonly string[];
  readonly program: AsyncDisposable;
}

/**
 * Runs programs of the test as long as a Deployment of their name is in the cluster: nothing runs in the pods of a
 * simulated one, and nothing can be pulled by a real one.
 */
export class DeployedPrograms implements AsyncDisposable {
  readonly #options: DeployedProgramsOptions;
  readonly #deployments: Informer<Deployment>;
  readonly #running = new Map<string, RunningProgram>();
  /** One change after the other: what is started is stopped. */
  #work: Promise<void> = Promise.resolve();

  static start(options: DeployedProgramsOptions): DeployedPrograms {
    const programs = new DeployedPrograms(options);
    programs.#deployments.start();
    return programs;
  }

  private constructor(options: DeployedProgramsOptions) {
    const { client, onError = () => undefined } = options;
    this.#options = options;
    this.#deployments = cacheOf(client, resources.deployments, onError);
    this.#deployments.addHandler({
      add: (deployment) => this.#then(() => this.#start(deployment)),
      update: (_, deployment) => this.#then(() => this.#start(deployment)),
      delete: (deployment) => this.#then(() => this.#end(nameOf(deployment))),
    });
  }

  /** `namespace/name` of those that run now. */
  get running(): string[] {
    return [...this.#running.keys()].toSorted();
  }

  async stop(): Promise<void> {
    await this.#deployments.stop();
    await this.#work;
    for (const key of this.#running.keys()) await this.#end(key);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #then(change: () => Promise<void>): void {
    this.#work = this.#work
      .then(change)
      .catch((error: unknown) => this.#options.onError?.(BowlineError.from(error)));
  }

  async #start(deployment: DeepReadonly<Deployment>): Promise<void> {
    const [container] = deployment.spec.template.spec.containers;
    const start = this.#options.programs[deployment.metadata.name ?? ""];
    const key = nameOf(deployment);
    const { args = [] } = container ?? {};
    if (start === undefined || this.#running.get(key)?.args.join(" ") === args.join(" ")) return;
    await this.#end(key);
    this.#running.set(key, { args, program: await start(args) });
  }

  async #end(key: string): Promise<void> {
    const running = this.#running.get(key);
    this.#running.delete(key);
    await running?.program[Symbol.asyncDispose]();
  }
}
