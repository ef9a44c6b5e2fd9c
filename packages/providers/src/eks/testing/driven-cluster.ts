import { inspect } from "node:util";

import { advance, type ProviderAnswer, type ProviderGoal, type ProviderWork } from "../../provider.ts";
import { testWork } from "../../testing/index.ts";
import { eksSpec, testKey, type EksWorld } from "./eks-stage.ts";

type Spec = typeof eksSpec;
const mostRounds = 300;

/** A cluster in a world that is led from state to state, and what was told on the way. */
export class DrivenCluster {
  readonly work: ProviderWork;
  readonly world: EksWorld;
  readonly told: ProviderAnswer[] = [];
  readonly #provider;
  #spec: Spec;

  constructor(world: EksWorld, credential: Readonly<Record<string, string>> = testKey, spec: Spec = eksSpec) {
    this.world = world;
    this.#spec = spec;
    this.#provider = world.provider();
    this.work = testWork({ spec }, { clock: world.clock, credential: () => Promise.resolve(credential) });
  }

  set spec(spec: Spec) {
    this.#spec = spec;
  }

  get wanted(): ProviderWork {
    return { ...this.work, cluster: { ...this.work.cluster, spec: this.#spec } };
  }

  async round(goal: ProviderGoal = "present"): Promise<ProviderAnswer> {
    const answer = await advance(this.#provider, this.wanted, goal);
    this.told.push(answer);
    return answer;
  }

  /** Rounds until an answer has these fields. */
  async until(fields: Partial<ProviderAnswer>, goal: ProviderGoal = "present"): Promise<ProviderAnswer> {
    for (let round = 0; round < mostRounds; round += 1) {
      const answer = await this.round(goal);
      if (Object.entries(fields).every(([name, value]) => answer[name as keyof ProviderAnswer] === value)) {
        return answer;
      }
      await this.world.pass(answer.retryAfterMs ?? 20_000);
    }
    throw new Error(
      `After ${mostRounds} rounds there was no ${inspect(fields)}: ${inspect(this.told.at(-1))}`,
    );
  }

  async made(): Promise<void> {
    await this.until({ state: "ready" });
  }

  async deleted(): Promise<void> {
    await this.until({ state: "gone" }, "absent");
  }
}
