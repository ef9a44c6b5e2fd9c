import { asRecord, BowlineError } from "@bowline/core";
import { resources } from "@bowline/kube";

import { removeResource } from "../ensure-resource.ts";
import type {
  ClusterAccess,
  OrphanedResource,
  OrphanSearch,
  Provider,
  ProviderAnswer,
  ProviderPlan,
  ProviderWork,
  WantedCluster,
} from "../provider.ts";
import { findClusterApiOrphans } from "./cluster-api-orphans.ts";
import { knownRecords, lookAtCluster, type ClusterLook } from "./cluster-look.ts";
import { deleteCluster, lookAtDeletion, servedPlace } from "./delete-cluster.ts";
import { failureAnswer, type Stage } from "./failure-answer.ts";
import { findObject, stalled, type ClusterApiAccess, type ManagementCluster } from "./management-cluster.ts";
import { isOurs } from "./marks.ts";
import { isOfCluster } from "./object-record.ts";
import { renderedTemplate, settingsOf } from "./wanted-objects.ts";
import { handlerToRemove, writeObject } from "./write-object.ts";

/** As long as machines, images and a control plane usually take. */
const expectedSeconds = 900;

/** The most that a kubeconfig may have. */
const maxKubeconfigLength = 1024 * 1024;

/**
 * Clusters that Cluster API makes in a management cluster. Bowline only writes their objects there and reads how far they
 * are; all that is remembered are the places of these objects.
 */
export class ClusterApiProvider implements Provider {
  readonly name = "clusterapi";
  readonly #access: ClusterApiAccess;

  constructor(access: ClusterApiAccess) {
    this.#access = access;
  }

  async plan({ cluster }: ProviderWork): Promise<ProviderPlan> {
    return { steps: await this.#plannedSteps(cluster), expectedSeconds };
  }

  observe(work: ProviderWork): Promise<ProviderAnswer> {
    return this.#answering(work, async (isDeleting) => {
      if (isDeleting) return lookAtDeletion(this.#access, work);
      return this.#withManagement(work, async (management) => {
        const { answer } = await lookAtCluster(this.#access, management, work);
        return answer;
      });
    });
  }

  next(work: ProviderWork): Promise<ProviderAnswer> {
    return this.#answering(work, () =>
      this.#withManagement(work, async (management) => {
        const look = await lookAtCluster(this.#access, management, work);
        return this.#act(management, work, look);
      }),
    );
  }

  delete(work: ProviderWork): Promise<ProviderAnswer> {
    return this.#answering(work, () => deleteCluster(this.#access, work), "deleting");
  }

  /** From its Secret, each time anew: Cluster API renews what is in it before it ends. */
  async credentials(work: ProviderWork): Promise<ClusterAccess> {
    const record = [...(await knownRecords(work)).values()].find(isOfCluster);
    if (record === undefined) throw notYet(work.cluster);
    await using management = await this.#access.open(record.region ?? "", work.cluster);
    const place = await servedPlace(management, record);
    const { signal } = work;
    const cluster = await findObject(management, place, { signal, metadataOnly: true });
    if (cluster === undefined || !isOurs(cluster, work, record)) throw notYet(work.cluster);
    const { namespace } = place;
    const name = `${place.name}-kubeconfig`;
    const secret = await findObject(management, { resource: resources.secrets, namespace, name }, { signal });
    const encoded = asRecord(secret?.["data"])["value"];
    if (typeof encoded !== "string" || encoded === "") throw notYet(work.cluster);
    if (encoded.length > maxKubeconfigLength) {
      throw stalled("KubeconfigInvalid", `The Secret ${namespace}/${name} is too large for a kubeconfig.`);
    }
    return { kubeconfig: Buffer.from(encoded, "base64").toString("utf8") };
  }

  orphans(search: OrphanSearch): Promise<readonly OrphanedResource[]> {
    return findClusterApiOrphans(this.#access, search);
  }

  async #act(
    management: ManagementCluster,
    work: ProviderWork,
    { answer, toWrite, toRemove }: ClusterLook,
  ): Promise<ProviderAnswer> {
    for (const found of toWrite) await writeObject({ management, work }, found);
    for (const record of toRemove) {
      await removeResource(
        work,
        handlerToRemove({ management, work }, await servedPlace(management, record)),
      );
    }
    return answer;
  }

  async #withManagement<T>(
    work: ProviderWork,
    use: (management: ManagementCluster) => Promise<T>,
  ): Promise<T> {
    const { managementCluster } = settingsOf(work.cluster);
    await using management = await this.#access.open(managementCluster, work.cluster);
    // Awaited here: the way is closed when this returns.
    return await use(management);
  }

  /** What cannot be done now, or not without a person, is an answer as well. */
  async #answering(
    work: ProviderWork,
    act: (isDeleting: boolean) => Promise<ProviderAnswer>,
    at?: Stage,
  ): Promise<ProviderAnswer> {
    const record = [...(await knownRecords(work)).values()].find(isOfCluster);
    const stage = at ?? stageOf(record?.state);
    try {
      return await act(stage === "deleting");
    } catch (error) {
      work.signal.throwIfAborted();
      const managementCluster = record?.region ?? work.cluster.spec.clusterapi?.managementCluster ?? "";
      const answer = failureAnswer(error, { stage, managementCluster });
      if (answer === undefined) throw error;
      return answer;
    }
  }

  async #plannedSteps(cluster: WantedCluster): Promise<readonly string[]> {
    const { managementCluster, namespace, topology } = settingsOf(cluster);
    const where = `in the management cluster ${managementCluster}`;
    if (topology === undefined) {
      const objects = await renderedTemplate(this.#access, cluster);
      return objects.map(({ kind, metadata }) => {
        const place = metadata.namespace ?? namespace;
        return `${kind} ${place}/${metadata.name ?? ""} ${where}`;
      });
    }
    const { class: name, kubernetesVersion, controlPlaneReplicas, workers = [] } = topology;
    return [
      `Cluster ${namespace}/${cluster.name} ${where}, of the ClusterClass ${name}, with Kubernetes ${kubernetesVersion}`,
      `${controlPlaneReplicas} machines for the control plane`,
      ...workers.map((group) => `${group.replicas} machines of the class ${group.class} (${group.name})`),
    ];
  }
}

function stageOf(state: string | undefined): Stage {
  if (state === "deleting") return "deleting";
  return state === "ready" ? "ready" : "creating";
}

function notYet({ name }: WantedCluster): BowlineError {
  return new BowlineError(
    "ReconcileWaiting",
    `Cluster API has no kubeconfig of the cluster ${name} yet; it comes when the control plane answers.`,
  );
}
