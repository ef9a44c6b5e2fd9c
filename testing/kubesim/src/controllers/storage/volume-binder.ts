import type { NewObject } from "../../store/sim-api.ts";
import type { ControllerContext } from "../controller-context.ts";
import { EventRecorder } from "../events/event-recorder.ts";
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from "../kinds/storage.ts";
import { keyOf } from "../loop/resource.ts";
import type { WorkQueue } from "../loop/work-loop.ts";
import { amountOf } from "../quantity.ts";

const defaultClassAnnotation = "storageclass.kubernetes.io/is-default-class";
const provisioner = "kubesim.bowline.dev/volumes";

/** Gives every claim a volume: one that is free and fits, or a new one made by the claim's storage class. */
export class VolumeBinder {
  readonly #context: ControllerContext;
  readonly #events: EventRecorder;
  readonly #queue: WorkQueue;
  readonly #freed: WorkQueue;

  constructor(context: ControllerContext) {
    const { loop } = context;
    this.#context = context;
    this.#events = new EventRecorder(context.events, { component: "persistentvolume-controller" });
    this.#queue = loop.queue("volume-binder", (key) => this.#reconcile(key));
    this.#freed = loop.queue("volume-release", (name) => this.#release(name));
  }

  start(): void {
    const { cluster } = this.#context;
    cluster.claims.onChange(({ type, object }) => {
      if (type !== "DELETED") this.#queue.add(keyOf(object));
      else if (object.spec.volumeName !== undefined) this.#freed.add(object.spec.volumeName);
    });
    cluster.volumes.onChange(({ object }) => {
      if (object.spec.claimRef === undefined) this.#queuePending();
    });
    cluster.storageClasses.onChange(() => this.#queuePending());
    this.#ensureDefaultClass();
    this.#queuePending();
  }

  #ensureDefaultClass(): void {
    const { storageClasses } = this.#context.cluster;
    if (this.#defaultClass() !== undefined) return;
    storageClasses.create({
      apiVersion: "storage.k8s.io/v1",
      kind: "StorageClass",
      metadata: { name: "standard", annotations: { [defaultClassAnnotation]: "true" } },
      provisioner,
      reclaimPolicy: "Delete",
      volumeBindingMode: "Immediate",
    });
  }

  #defaultClass(): StorageClass | undefined {
    for (const each of this.#context.cluster.storageClasses.list()) {
      if (each.metadata.annotations?.[defaultClassAnnotation] === "true") return each;
    }
    return undefined;
  }

  #queuePending(): void {
    for (const claim of this.#context.cluster.claims.list()) {
      if (claim.status?.phase !== "Bound") this.#queue.add(keyOf(claim));
    }
  }

  #reconcile(key: string): void {
    const { claims } = this.#context.cluster;
    const found = claims.byKey(key);
    if (
      found === undefined ||
      found.status?.phase === "Bound" ||
      found.metadata.deletionTimestamp !== undefined
    )
      return;
    const claim = this.#withClass(found);
    const volume = this.#freeVolume(claim) ?? this.#provision(claim);
    if (volume !== undefined) this.#bind(claim, volume);
  }

  /** A claim that names no class gets the default one; one that names the empty class wants none. */
  #withClass(claim: PersistentVolumeClaim): PersistentVolumeClaim {
    const storageClassName = this.#defaultClass()?.metadata.name;
    if (claim.spec.storageClassName !== undefined || storageClassName === undefined) return claim;
    return this.#context.cluster.claims.update({ ...claim, spec: { ...claim.spec, storageClassName } });
  }

  #freeVolume(claim: PersistentVolumeClaim): PersistentVolume | undefined {
    const { volumes } = this.#context.cluster;
    const { volumeName } = claim.spec;
    const candidates = volumeName === undefined ? volumes.list() : [volumes.get(undefined, volumeName)];
    for (const volume of candidates) {
      if (volume !== undefined && fits(volume, claim)) return volume;
    }
    return undefined;
  }

  #provision(claim: PersistentVolumeClaim): PersistentVolume | undefined {
    const { storageClasses, volumes } = this.#context.cluster;
    const { storageClassName = "", volumeName } = claim.spec;
    const storageClass =
      storageClassName === "" ? undefined : storageClasses.get(undefined, storageClassName);
    if (volumeName !== undefined || storageClass === undefined) {
      const message =
        storageClassName === ""
          ? "no persistent volumes available for this claim and no storage class is set"
          : `storageclass.storage.k8s.io "${storageClassName}" not found`;
      const [type, reason] =
        storageClassName === ""
          ? (["normal", "FailedBinding"] as const)
          : (["warning", "ProvisioningFailed"] as const);
      this.#events[type](claim, reason, message);
      return undefined;
    }
    const volume = volumes.create(volumeFor(claim, storageClass));
    this.#events.normal(
      claim,
      "ProvisioningSucceeded",
      `Successfully provisioned volume ${volume.metadata.name}`,
    );
    return volume;
  }

  #bind(claim: PersistentVolumeClaim, volume: PersistentVolume): void {
    const { claims, volumes } = this.#context.cluster;
    const bound = volumes.update({ ...volume, spec: { ...volume.spec, claimRef: referenceTo(claim) } });
    volumes.updateStatus({ ...bound, status: { phase: "Bound" } });
    const annotations = {
      ...claim.metadata.annotations,
      "pv.kubernetes.io/bind-completed": "yes",
      "pv.kubernetes.io/bound-by-controller": "yes",
    };
    const placed = claims.update({
      ...claim,
      metadata: { ...claim.metadata, annotations },
      spec: { ...claim.spec, volumeName: volume.metadata.name },
    });
    claims.updateStatus({
      ...placed,
      status: {
        phase: "Bound",
        accessModes: volume.spec.accessModes ?? [],
        capacity: volume.spec.capacity ?? {},
      },
    });
  }

  /** Its claim is gone: the volume goes too, or stays as it was left. */
  #release(name: string): void {
    const { volumes } = this.#context.cluster;
    const volume = volumes.get(undefined, name);
    if (volume === undefined) return;
    if (volume.spec.persistentVolumeReclaimPolicy === "Delete") volumes.delete(volume);
    else volumes.updateStatus({ ...volume, status: { phase: "Released" } });
  }
}

function fits(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  const modes = volume.spec.accessModes ?? [];
  return (
    (volume.spec.claimRef === undefined || isFor(volume, claim)) &&
    (volume.spec.storageClassName ?? "") === (claim.spec.storageClassName ?? "") &&
    amountOf(volume.spec.capacity?.["storage"]) >= amountOf(claim.spec.resources?.requests?.["storage"]) &&
    (claim.spec.accessModes ?? []).every((mode) => modes.includes(mode))
  );
}

/** Reserved for this claim by name, before it existed. */
function isFor(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  const { claimRef } = volume.spec;
  const isNamed = claimRef?.name === claim.metadata.name && claimRef.namespace === claim.metadata.namespace;
  return isNamed && (claimRef.uid === undefined || claimRef.uid === claim.metadata.uid);
}

function volumeFor(claim: PersistentVolumeClaim, storageClass: StorageClass): NewObject {
  const name = `pvc-${claim.metadata.uid}`;
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name, annotations: { "pv.kubernetes.io/provisioned-by": storageClass.provisioner } },
    spec: {
      capacity: { storage: claim.spec.resources?.requests?.["storage"] ?? "1Gi" },
      accessModes: claim.spec.accessModes ?? ["ReadWriteOnce"],
      claimRef: referenceTo(claim),
      persistentVolumeReclaimPolicy: storageClass.reclaimPolicy ?? "Delete",
      storageClassName: storageClass.metadata.name,
      volumeMode: claim.spec.volumeMode ?? "Filesystem",
      hostPath: { path: `/var/lib/kubesim/${name}`, type: "DirectoryOrCreate" },
    },
  };
}

function referenceTo(claim: PersistentVolumeClaim): NonNullable<PersistentVolume["spec"]["claimRef"]> {
  const { namespace, name, uid } = claim.metadata;
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    ...(namespace === undefined ? {} : { namespace }),
    name,
    uid,
  };
}
