import type { DomainName } from "@bowline/api";
import { BowlineError, inParallel, LinkedAbortController, withDeadline, type Clock } from "@bowline/core";

import type { Finding } from "../gateways/check.ts";
import { judgeEntryAnswers, type OutsideTools, type ResolveHost } from "../gateways/judge-outside.ts";
import type { CoveredHost, GatewayThere, HostCluster } from "./covered-hosts.ts";
import type { SeenCluster } from "./decide-host.ts";
import { questionsAtOnce } from "./look-times.ts";

export interface LookTools {
  readonly outside: OutsideTools;
  readonly clock: Clock;
}

export interface LookOptions {
  /** What was known before, with the last addresses of clusters that nobody can ask. */
  readonly before: DomainName["status"]["hosts"];
  /** How long one cluster may take to answer for one host. */
  readonly limitMs: number;
  readonly signal: AbortSignal;
}

/** Looks at every host in every cluster that it may lead to, as anybody outside would. */
export async function lookAtHosts(
  tools: LookTools,
  hosts: readonly CoveredHost[],
  options: LookOptions,
): Promise<ReadonlyMap<string, readonly SeenCluster[]>> {
  const found = new Map(hosts.map(({ host }) => [host, new Array<SeenCluster>()]));
  const questions = hosts.flatMap(({ host, clusters }) => clusters.map((there) => ({ host, there })));
  const look = async ({ host, there }: { host: string; there: HostCluster }): Promise<void> => {
    const known = options.before.find((each) => each.host === host)?.clusters ?? [];
    const last = known.find(({ cluster }) => cluster === there.cluster)?.addresses ?? [];
    found.get(host)?.push(await lookAtCluster(tools, host, there, { ...options, last }));
  };
  await inParallel(questions, look, questionsAtOnce(questions.length, options.limitMs));
  return found;
}

async function lookAtCluster(
  tools: LookTools,
  host: string,
  there: HostCluster,
  options: Pick<LookOptions, "limitMs" | "signal"> & { readonly last: readonly string[] },
): Promise<SeenCluster> {
  const { cluster, isConnected, isLeaving, gateways } = there;
  const addresses = [...new Set(gateways.flatMap(({ status }) => status.addresses))];
  const seen = { cluster, isLeaving, addresses };
  if (isLeaving) {
    return { ...seen, isHealthy: false, reason: "Leaving", message: `It is leaving cluster ${cluster}.` };
  }
  const findings = await Promise.all(
    gateways.map(async (gateway) => {
      const unready = isConnected ? whyUnready(gateway) : undefined;
      if (unready !== undefined) return unready;
      // Of a cluster whose agent is away nobody knows the addresses now; what answers there is not lost.
      const asked = gateway.status.addresses.length > 0 ? gateway.status.addresses : options.last;
      const answer = await askEntry(tools, host, { gateway, addresses: asked }, options);
      return answer.status === "Unknown" ? byItsAgent(there, gateway, answer) : answer;
    }),
  );
  const worst = findings.find(({ status }) => status !== "True") ?? findings[0];
  return {
    ...seen,
    isHealthy: worst?.status === "True",
    reason: worst?.reason ?? "NotProgrammed",
    message: worst?.message ?? "",
  };
}

/** The way in has to be programmed, and the route accepted; nothing is said of it while it is not known. */
function whyUnready({ status: { checks } }: GatewayThere): Finding | undefined {
  return checks.find(
    ({ type, status }) => status === "False" && (type === "Class" || type === "Listener" || type === "Route"),
  );
}

async function askEntry(
  { outside, clock }: LookTools,
  host: string,
  { gateway, addresses }: { readonly gateway: GatewayThere; readonly addresses: readonly string[] },
  { limitMs, signal }: Pick<LookOptions, "limitMs" | "signal">,
): Promise<Finding> {
  using limit = new LinkedAbortController(signal);
  const stopTimer = clock.after(limitMs, () => limit.abort());
  try {
    const spec = { ...gateway.spec, hosts: [host] };
    // Half of the time, so that a name that cannot be looked up is told from a host that does not answer.
    const lookUp: ResolveHost = (name) =>
      withDeadline(() => outside.resolve(name), {
        clock,
        limitMs: limitMs / 2,
        signal: limit.signal,
        onTimeout: () => new BowlineError("Timeout", `${name} could not be looked up in time.`),
      });
    return await judgeEntryAnswers(
      { ...outside, resolve: lookUp },
      { spec, addresses, signal: limit.signal },
    );
  } catch (error) {
    signal.throwIfAborted();
    if (!limit.signal.aborted) throw error;
    const message = `${host} at ${addresses.join(", ")} has not answered within ${limitMs / 1_000} s.`;
    return { status: "False", reason: "NotReachable", message };
  } finally {
    stopTimer();
  }
}

/** Where the server may not ask, or shall not, what its agent says counts. */
function byItsAgent(
  { cluster, isConnected }: HostCluster,
  { status }: GatewayThere,
  { reason, message }: Finding,
): Finding {
  if (!isConnected) {
    const away = `The agent of cluster ${cluster} is not connected, and it cannot be asked from here: ${message}`;
    return { status: "False", reason: "AgentDisconnected", message: away };
  }
  // One that is written anew serves meanwhile as it did before.
  const isProgrammed = status.checks.some(({ type, status: found }) => type === "Route" && found !== "False");
  return { status: isProgrammed ? "True" : "False", reason, message };
}
