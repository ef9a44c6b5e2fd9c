import { BowlineError, hasCode, shortened, withDeadline, type Clock } from "@bowline/core";
import { connect, KubeClient } from "@bowline/kube";
import type { ConditionStatement } from "@bowline/gateway";
import { inlineConnection, type ClusterAccess } from "@bowline/providers";

import { installAgent, type AgentManifests } from "./install-agent.ts";
import { agentTrouble } from "./agent-trouble.ts";
import type { ProviderRound, ProvisionWork } from "./provider-round.ts";
import { statement, type Finding } from "./provisioning-status.ts";

export interface AgentJoinOptions {
  readonly manifests: AgentManifests;
  readonly clock: Clock;
}

type Joining = Pick<Finding, "state" | "progress" | "step" | "isNewStep"> & {
  readonly agent: ConditionStatement;
};

/** An agent that has not come by then is looked for: most come within a minute. */
const patienceMs = 5 * 60_000;
/** A join token lasts an hour; an agent that is late gets another before that. */
const tokenMs = 55 * 60_000;
const requestLimitMs = 30_000;
/** For all of them: whoever waits for one cluster works on no other one. */
const visitLimitMs = 60_000;

/**
 * Gets the agent into a cluster that has just been made: it is installed through the way that the provider knows, which is
 * used at once and kept nowhere; from its first call on there is only its tunnel.
 */
export class AgentJoin {
  readonly #options: AgentJoinOptions;

  constructor(options: AgentJoinOptions) {
    this.#options = options;
  }

  /** One look, or the next step. What goes wrong is told, and tried again at the next look. */
  async next(work: ProvisionWork, round: ProviderRound): Promise<Joining> {
    const { cluster, task } = work;
    const { provisioning } = cluster.status;
    const sinceMs =
      provisioning?.state === "Joining" && provisioning.step !== undefined
        ? Date.parse(provisioning.step.since)
        : undefined;
    const waitedMs = sinceMs === undefined ? undefined : task.nowMs() - sinceMs;
    if (waitedMs !== undefined && waitedMs < patienceMs) return waiting(installed);
    try {
      const access = await round.credentials();
      if (waitedMs !== undefined && waitedMs < tokenMs) return waiting(await this.#trouble(access, work));
      await this.#install(access, work);
      return { ...waiting(installed), isNewStep: true };
    } catch (thrown) {
      task.signal.throwIfAborted();
      if (hasCode(thrown, "LeaseLost")) throw thrown;
      const agent = notReached(work, thrown);
      // Until it is installed for the first time there is nothing to wait for.
      return waitedMs === undefined
        ? { ...waiting(agent), state: "Provisioned", step: undefined }
        : waiting(agent);
    }
  }

  #install(access: ClusterAccess, { cluster, task }: ProvisionWork): Promise<void> {
    task.requireLease();
    return this.#withClient(access, task.signal, (client, signal) =>
      installAgent(this.#options.manifests, client, { cluster: cluster.metadata.name, signal }),
    );
  }

  async #trouble(access: ClusterAccess, { task }: ProvisionWork): Promise<ConditionStatement> {
    const { namespace, endpoint } = this.#options.manifests;
    const [server] = endpoint()?.servers ?? ["the server"];
    return this.#withClient(access, task.signal, (client, signal) =>
      agentTrouble(client, { namespace, server, signal }),
    );
  }

  async #withClient<T>(
    { kubeconfig }: ClusterAccess,
    signal: AbortSignal,
    use: (client: KubeClient, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const { clock } = this.#options;
    const connection = inlineConnection(kubeconfig);
    const transport = connect(connection, {
      clock,
      headersTimeoutMs: requestLimitMs,
      retry: { maxAttempts: 2, maxWaitMs: 5_000 },
    });
    try {
      return await withDeadline((limited) => use(new KubeClient(transport), limited), {
        clock,
        limitMs: visitLimitMs,
        signal,
        onTimeout: () =>
          new BowlineError(
            "Timeout",
            `The cluster has not answered all of it within ${visitLimitMs / 1_000} s.`,
          ),
      });
    } finally {
      await transport.close();
    }
  }
}

const installed = statement("False", "InstallingAgent", "The agent is installed, and has yet to come.");

function waiting(agent: ConditionStatement): Joining {
  return { state: "Joining", agent, progress: statement("True", agent.reason, agent.message), step };
}

const step = { number: 1, of: 1, text: "Waiting for the agent", expectedSeconds: 60 };
const maxCauseLength = 1_024;

/** A cluster that cannot be reached from here may be reached from where its people are. */
function notReached({ cluster }: ProvisionWork, thrown: unknown): ConditionStatement {
  const { name } = cluster.metadata;
  const cause = shortened(BowlineError.from(thrown).message, maxCauseLength);
  const message = `The server could not install the agent: ${cause} It is tried again; bowline cluster add ${name} | kubectl apply -f - installs it from a machine that reaches the cluster.`;
  return statement("False", "WaitingForJoin", message);
}
