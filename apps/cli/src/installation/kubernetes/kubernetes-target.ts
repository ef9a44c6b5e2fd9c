import type { Client } from "@bowline/client";
import { BowlineError, isRecord } from "@bowline/core";

import type { CommandContext } from "../../command/command-context.ts";
import { openWay } from "../../connection/cluster-way.ts";
import type { ContextEntry, KubernetesWay } from "../../connection/config-document.ts";
import { clientFor } from "../../connection/connect-to-server.ts";
import { presentedChain } from "../../connection/presented-chain.ts";
import type { PhaseContext, Removal, RemoveOptions, Target } from "../target.ts";
import {
  desiredInstallation,
  idLabel,
  installationLabels,
  type DesiredInstallation,
} from "./desired-objects.ts";
import { KubeCluster, type ClusterAccess, type ObjectPlace } from "./kube-cluster.ts";
import { kubernetesRecord, type KubernetesOptions } from "./kubernetes-options.ts";
import { makeSecrets, readSecret } from "./own-secrets.ts";
import { labelOf, preflight, requireSameDatabase, requireVersion } from "./preflight.ts";
import { agentObjects, registerCluster, type AgentPlace } from "./register-cluster.ts";
import { removeInstallation } from "./remove-installation.ts";
import { untilHealthy } from "./wait-for-workload.ts";

interface KubernetesWays {
  /** Simulated clusters have other ways to a server. */
  readonly openWay?: typeof openWay | undefined;
  /** In the place of the file that the options name. */
  readonly access?: ClusterAccess | undefined;
}

/** A server in a cluster that is there. */
export class KubernetesTarget {
  readonly #context: CommandContext;
  readonly #options: KubernetesOptions;
  readonly #openWay: typeof openWay;
  readonly #access: ClusterAccess | undefined;

  constructor(context: CommandContext, options: KubernetesOptions, ways: KubernetesWays = {}) {
    this.#context = context;
    this.#options = options;
    this.#openWay = ways.openWay ?? openWay;
    this.#access = ways.access;
  }

  target(): Target {
    const { namespace, kubeContext } = this.#options;
    return {
      record: kubernetesRecord(this.#options),
      place: `the cluster of ${kubeContext ?? "the kubeconfig"}, namespace ${namespace}`,
      runningVersion: (phase) => this.#runningVersion(phase),
      plan: () => this.#plan(),
      phases: {
        preflight: (phase) => this.#in(phase, (cluster, desired) => this.#preflight(cluster, desired, phase)),
        infrastructure: (phase) =>
          this.#in(phase, (cluster, desired) => this.#infrastructure(cluster, desired, phase)),
        install: (phase) => this.#in(phase, (cluster, desired) => this.#install(cluster, desired, phase)),
        wait: (phase) => this.#in(phase, (cluster, desired) => this.#wait(cluster, desired, phase)),
        bootstrap: (phase) => this.#in(phase, (cluster, desired) => this.#bootstrap(cluster, desired, phase)),
        register: (phase) => this.#in(phase, (cluster, desired) => this.#register(cluster, desired, phase)),
      },
      connect: (phase) =>
        this.#in(phase, async (cluster, desired) => {
          const entry = await this.#entry(phase.ledger.state.name, cluster, desired, phase);
          // Where the notes are lost, the server shows it again.
          const caPem = entry.caPem ?? (await this.#authority(desired, phase.signal));
          return this.#client({ ...entry, caPem });
        }),
      contextEntry: (name, phase) =>
        this.#in(phase, (cluster, desired) => this.#entry(name, cluster, desired, phase)),
      remove: (phase, removal) => this.#remove(phase, removal),
    };
  }

  async #in<T>(
    phase: PhaseContext,
    work: (cluster: KubeCluster, desired: DesiredInstallation) => Promise<T>,
  ): Promise<T> {
    await using cluster = await this.#open(phase);
    return await work(cluster, await this.#desired(cluster, phase.ledger.state.installation));
  }

  async #open(phase: PhaseContext): Promise<KubeCluster> {
    if (this.#access === undefined) return KubeCluster.open(this.#options, this.#context);
    return KubeCluster.openText(await this.#access(phase), this.#context);
  }

  async #desired(cluster: KubeCluster, installation: string): Promise<DesiredInstallation> {
    const kubernetesVersion = await requireVersion(cluster);
    return desiredInstallation({
      options: this.#options,
      installation,
      version: this.#context.version,
      kubernetesVersion,
    });
  }

  /** As its label says. What is in the way of a look, the phases tell. */
  async #runningVersion(phase: PhaseContext): Promise<string | undefined> {
    const { signal, ledger } = phase;
    try {
      return await this.#in(phase, async (cluster, desired) => {
        const found = await cluster.find(await this.#workload(desired), signal);
        const isOwn = found !== undefined && labelOf(found, idLabel) === ledger.state.installation;
        const isReady = isRecord(found?.["status"]) && Number(found["status"]["readyReplicas"] ?? 0) > 0;
        return isOwn && isReady ? labelOf(found, "app.kubernetes.io/version") : undefined;
      });
    } catch {
      signal.throwIfAborted();
      return undefined;
    }
  }

  async #workload({ usesSqlite }: DesiredInstallation): Promise<ObjectPlace & { namespace: string }> {
    const { resources } = await import("@bowline/kube");
    const { name, namespace } = this.#options;
    return { resource: usesSqlite ? resources.statefulSets : resources.deployments, namespace, name };
  }

  async #plan(): ReturnType<Target["plan"]> {
    const { name, namespace, registers, cluster: fleetName } = this.#options;
    const unknown = "00000000-0000-0000-0000-000000000000";
    await using cluster = await KubeCluster.open(this.#options, this.#context);
    const desired = await this.#desired(cluster, unknown);
    const agent = registers ? agentObjects(this.#agentPlace(desired, unknown)) : [];
    return {
      preflight: [`look at ${cluster.connection.server}: version, rights, storage and names`],
      infrastructure: [`make the namespace ${namespace}, unless it is there`],
      install: [
        ...desired.secrets.map((secret) => `Secret ${namespace}/${secret.name}`),
        ...desired.objects.map(({ kind, metadata }) => `${kind} ${namespace}/${metadata.name}`),
      ],
      wait: [`wait until the pods of ${namespace}/${name} are ready`],
      bootstrap: ["sign in with the token of the first admin, through the API server"],
      register: registers
        ? [
            `Cluster ${fleetName} of the fleet`,
            ...agent.map(
              ({ kind, metadata }) =>
                `${kind} ${metadata.namespace === undefined ? "" : `${metadata.namespace}/`}${metadata.name}`,
            ),
          ]
        : ["nothing, as --no-register says"],
    };
  }

  async #preflight(
    cluster: KubeCluster,
    desired: DesiredInstallation,
    context: PhaseContext,
  ): Promise<string> {
    const { installation } = context.ledger.state;
    const agents = this.#options.registers ? agentObjects(this.#agentPlace(desired, installation)) : [];
    await preflight({ cluster, options: this.#options, desired, agentObjects: agents, context });
    const { gitVersion } = await cluster.discovery.serverVersion();
    return `${cluster.connection.server}, Kubernetes ${gitVersion}`;
  }

  async #infrastructure(
    cluster: KubeCluster,
    desired: DesiredInstallation,
    context: PhaseContext,
  ): Promise<string> {
    const place = await cluster.placeOf(desired.namespace, "");
    if ((await cluster.find(place, context.signal)) !== undefined) return `namespace ${place.name} is there`;
    await cluster.create(context, desired.namespace);
    return `namespace ${place.name}`;
  }

  async #install(cluster: KubeCluster, desired: DesiredInstallation, context: PhaseContext): Promise<string> {
    const { name, namespace } = this.#options;
    // An upgrade of a cluster that was made for it comes here without the preflight of what is in there.
    await requireSameDatabase({ cluster, options: this.#options, desired, context });
    const labels = installationLabels(name, context.ledger.state.installation);
    await makeSecrets(cluster, desired.secrets, { namespace, labels }, context);
    for (const object of desired.objects) await cluster.apply(context, object, namespace);
    return `${desired.objects.length + desired.secrets.length} objects, image ${desired.image}`;
  }

  async #wait(cluster: KubeCluster, desired: DesiredInstallation, context: PhaseContext): Promise<string> {
    const workload = await this.#workload(desired);
    const { resource, name } = workload;
    const selector = `app.kubernetes.io/name=bowline,app.kubernetes.io/instance=${name}`;
    const startupMs = desired.startupSeconds * 1000;
    await untilHealthy(cluster, { ...workload, selector, startupMs }, context);
    return `all pods of ${resource.kind} ${name} are ready`;
  }

  /** Through the API server, which is trusted already, and then by the address that others use, if that leads here. */
  async #bootstrap(
    cluster: KubeCluster,
    desired: DesiredInstallation,
    context: PhaseContext,
  ): Promise<string> {
    const { signal, ledger } = context;
    const caPem = await this.#authority(desired, signal);
    const token = await this.#token(cluster, desired, signal);
    const user = await this.#signIn({ server: desired.certifiedUrl, caPem, token, way: this.#way() });
    const { url } = desired;
    const problem = url === undefined ? "" : await this.#problemAt({ server: url, caPem, token });
    const isReached = url !== undefined && problem === undefined;
    await ledger.note({
      endpoints: {
        server: isReached ? url : desired.certifiedUrl,
        caPem,
        way: isReached ? "url" : "kubernetes",
      },
    });
    if (isReached) return `signed in as ${user}, at ${url}`;
    return `signed in as ${user}, through the API server${url === undefined ? "" : `; ${url} does not lead there yet: ${problem}`}`;
  }

  /** As the server shows it through the API server of its cluster, which is trusted already. */
  async #authority({ certifiedUrl }: DesiredInstallation, signal: AbortSignal): Promise<string> {
    const { clock } = this.#context;
    const openStream = await this.#openWay(this.#way(), this.#context);
    const chain = await presentedChain({ server: certifiedUrl, clock, signal, openStream });
    const caPem = chain.at(-1)?.pem;
    if (caPem !== undefined) return caPem;
    throw new BowlineError("ConnectionFailed", "The server shows no certificate.");
  }

  async #register(
    cluster: KubeCluster,
    desired: DesiredInstallation,
    context: PhaseContext,
  ): Promise<string> {
    if (!this.#options.registers) return "nothing, as --no-register says";
    const { state } = context.ledger;
    const client = await this.#client(await this.#entry(state.name, cluster, desired, context));
    try {
      await registerCluster(cluster, client, this.#agentPlace(desired, state.installation), context);
    } finally {
      await client.close();
    }
    return `cluster ${this.#options.cluster}, and its agent is connected`;
  }

  async #entry(
    name: string,
    cluster: KubeCluster,
    desired: DesiredInstallation,
    { ledger, signal }: PhaseContext,
  ): Promise<ContextEntry> {
    const { server = desired.certifiedUrl, caPem, way } = ledger.state.endpoints;
    const token = await this.#token(cluster, desired, signal);
    return { name, server, caPem, token, ...(way === "url" ? {} : { kubernetes: this.#way() }) };
  }

  async #token(cluster: KubeCluster, desired: DesiredInstallation, signal: AbortSignal): Promise<string> {
    const { namespace } = this.#options;
    return readSecret(cluster, { namespace, ...desired.tokenSecret }, signal);
  }

  #way(): KubernetesWay {
    const { name, namespace, kubeconfig, kubeContext } = this.#options;
    return {
      kubeconfig,
      namespace,
      service: name,
      ...(kubeContext === undefined ? {} : { context: kubeContext }),
    };
  }

  #agentPlace({ image, pullSecrets }: DesiredInstallation, installation: string): AgentPlace {
    const { name, namespace, cluster } = this.#options;
    return { name: cluster, namespace, image, pullSecrets, labels: installationLabels(name, installation) };
  }

  async #client({ server, token, caPem, kubernetes }: Omit<ContextEntry, "name">): Promise<Client> {
    const openStream = kubernetes === undefined ? undefined : await this.#openWay(kubernetes, this.#context);
    return clientFor(this.#context, { server, token, caPem, openStream });
  }

  async #signIn({
    way,
    ...access
  }: {
    server: string;
    caPem: string;
    token: string;
    way?: KubernetesWay;
  }): Promise<string> {
    const client = await this.#client({ ...access, kubernetes: way });
    try {
      return (await client.login()).user;
    } finally {
      await client.close();
    }
  }

  async #problemAt(access: { server: string; caPem: string; token: string }): Promise<string | undefined> {
    try {
      await this.#signIn(access);
      return undefined;
    } catch (error) {
      return BowlineError.from(error).message;
    }
  }

  /** A cluster that is gone has nothing left to look at, but nobody can tell that from one that is only away. */
  async #remove(context: PhaseContext, removal: RemoveOptions): Promise<Removal> {
    try {
      await using cluster = await this.#open(context);
      await requireVersion(cluster);
      return await removeInstallation(cluster, this.#options, context, removal);
    } catch (error) {
      const { code, message } = BowlineError.from(error);
      if (!unreachable.has(code)) throw error;
      const { namespace, name } = this.#options;
      const known = context.ledger.existing().filter(({ type }) => type !== "context");
      const things = known.map(({ type, id }) => `${type} ${id}`);
      return {
        kept: [],
        unchecked: [
          `the cluster: ${message}`,
          ...(things.length === 0 ? [`whatever is of ${name} in the namespace ${namespace}`] : things),
        ],
      };
    }
  }
}

const unreachable = new Set<BowlineError["code"]>([
  "ConnectionFailed",
  "CertificateExpired",
  "CertificateUntrusted",
  "KubeconfigUnreadable",
  "KubeContextUnknown",
  "NotKubernetes",
  "Unauthorized",
  "ServerUnavailable",
  "Timeout",
]);
