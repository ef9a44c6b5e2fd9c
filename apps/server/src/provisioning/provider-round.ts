import { Credential, type Cluster, type ClusterProvider } from "@bowline/api";
import { BowlineError, withDeadline, type Clock, type Logger } from "@bowline/core";
import {
  advance,
  type ClusterAccess,
  type Provider,
  type ProviderAnswer,
  type ProviderGoal,
  type ProviderPlan,
  type ProviderWork,
} from "@bowline/providers";
import type { Store } from "@bowline/store";

import type { ClusterTask } from "../controllers/cluster-controller.ts";
import type { ProvisioningMetrics } from "./provisioning-metrics.ts";
import { readAnswer } from "./read-answer.ts";
import { wasBegun } from "./provisioning-status.ts";
import { ShownSecrets } from "./shown-secrets.ts";

export type Providers = ReadonlyMap<ClusterProvider, Provider>;

export interface RoundTools {
  readonly store: Pick<Store, "objects" | "resources" | "installationId">;
  readonly metrics: ProvisioningMetrics;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** As whoever asks for a plan waits for it. */
const planLimitMs = 50_000;
/** A program may take ten minutes for an answer; a little less than an attempt has, so that there is time to tell. */
const roundLimitMs = 11 * 60_000;

/** One Cluster and its provider, while it is worked on. */
export interface ProvisionWork {
  readonly cluster: Cluster;
  readonly task: ClusterTask;
  readonly provider: Provider;
}

/**
 * What is asked of the provider of a cluster: all of it has an end, and nothing it says shows a secret. A provider that
 * goes on after the end can neither begin a call nor write a record: whoever asks next goes by what is there.
 */
export class ProviderRound {
  readonly #tools: RoundTools;
  readonly #work: ProvisionWork;
  readonly #secrets = new ShownSecrets();
  readonly #endMs: number;

  constructor(tools: RoundTools, work: ProvisionWork) {
    this.#tools = tools;
    this.#work = work;
    this.#endMs = tools.clock.monotonicMs() + roundLimitMs;
  }

  /** One round towards a goal. What a person has to do something about is an answer, and no failure. */
  async advance(goal: ProviderGoal): Promise<ProviderAnswer> {
    const { provider } = this.#work;
    const answer = await this.#ask((work) => advance(withReadAnswers(provider), work, goal)).catch(blockedBy);
    const { message, step } = answer;
    return {
      ...answer,
      ...(message === undefined ? {} : { message: this.#secrets.hide(message) }),
      ...(step === undefined ? {} : { step: { ...step, text: this.#secrets.hide(step.text) } }),
    };
  }

  /** What it would make; a cluster does not wait for that. */
  plan(): Promise<ProviderPlan> {
    const { provider, task } = this.#work;
    return this.#ask((work) =>
      withDeadline((signal) => provider.plan({ ...work, signal }), {
        clock: work.clock,
        limitMs: planLimitMs,
        signal: task.signal,
        onTimeout: () =>
          new BowlineError("Timeout", `The provider "${provider.name}" has made no plan in time.`),
      }),
    );
  }

  /** A way into the cluster: for the requests at hand, kept nowhere. */
  credentials(): Promise<ClusterAccess> {
    return this.#ask((work) => this.#work.provider.credentials(work));
  }

  /** Once the agent is there nobody else is to get in. Whether that is done. */
  revokeCredentials(): Promise<boolean> {
    return this.#ask(async (work) => (await this.#work.provider.revokeCredentials?.(work)) ?? true);
  }

  async #ask<T>(question: (work: ProviderWork) => Promise<T>): Promise<T> {
    const { clock } = this.#tools;
    const limitMs = Math.max(0, this.#endMs - clock.monotonicMs());
    const onTimeout = (): Error => this.#silence();
    try {
      // Whoever is told to stop is waited for: what it has begun ends with it.
      return await withDeadline(async (end) => question(await this.#providerWork(end)), {
        clock,
        limitMs,
        onTimeout,
      });
    } catch (thrown) {
      throw this.#secrets.hideIn(thrown);
    }
  }

  #silence(): BowlineError {
    const minutes = roundLimitMs / 60_000;
    const message = `The provider "${this.#work.provider.name}" has not answered for ${minutes} minutes; it is asked again.`;
    return new BowlineError("Timeout", message, { details: { reason: "ProviderSilent" } });
  }

  async #providerWork(end: AbortSignal): Promise<ProviderWork> {
    const { store, clock, logger } = this.#tools;
    const { cluster, task, provider } = this.#work;
    const { id, name, labels } = cluster.metadata;
    const records = store.resources.of(id, { fence: task.fence });
    return {
      cluster: { id, name, labels, spec: cluster.spec },
      installation: await store.installationId(),
      wasBegun: wasBegun(cluster.status),
      records: {
        list: () => records.list(),
        put: async (record) => {
          end.throwIfAborted();
          await records.put(record);
        },
      },
      call: async (subject, call) => {
        end.throwIfAborted();
        return this.#call(subject, call);
      },
      credential: async (wanted) => {
        const values = await credentialValues(store, wanted);
        this.#secrets.add(values);
        return values;
      },
      clock,
      logger: logger.child({ provider: provider.name, cluster: name }),
      signal: AbortSignal.any([task.signal, end]),
    };
  }

  async #call<T>(subject: string, call: () => Promise<T>): Promise<T> {
    const { clock, metrics } = this.#tools;
    const { task, provider } = this.#work;
    // Whoever holds the lease by now makes this call itself.
    task.requireLease();
    const beganMs = clock.monotonicMs();
    const tell = (result: "done" | "failed"): void =>
      metrics.step(provider.name, kindOf(subject), result, clock.monotonicMs() - beganMs);
    try {
      const result = await call();
      tell("done");
      return result;
    } catch (thrown) {
      tell("failed");
      throw thrown;
    }
  }
}

/** Nothing is done because of an answer that says nothing. */
function withReadAnswers(provider: Provider): Pick<Provider, "observe" | "next" | "delete"> {
  const read = (answer: ProviderAnswer): ProviderAnswer => readAnswer(provider.name, answer);
  return {
    observe: async (work) => read(await provider.observe(work)),
    next: async (work) => read(await provider.next(work)),
    delete: async (work) => read(await provider.delete(work)),
  };
}

/** The values of a Credential, for the call at hand. */
export async function credentialValues(
  { objects }: Pick<Store, "objects">,
  name: string,
): Promise<Readonly<Record<string, string>>> {
  const credential = await objects.reveal(Credential, name);
  if (credential !== undefined) return { ...credential.spec.data };
  const message = `There is no Credential "${name}", which the cluster names; create it.`;
  throw new BowlineError("NotFound", message, { details: { reason: "CredentialMissing" } });
}

/** `create ec2:subnet public-a` is one of many that are counted together. */
function kindOf(subject: string): string {
  return subject.split(" ").slice(0, 2).join(" ");
}

/** A provider that says why in one word has found something that goes by no second attempt. */
function blockedBy(thrown: unknown): ProviderAnswer {
  const reason = thrown instanceof BowlineError ? thrown.details?.["reason"] : undefined;
  if (!(thrown instanceof BowlineError) || typeof reason !== "string") throw thrown;
  return { state: "blocked", reason, message: thrown.message };
}
