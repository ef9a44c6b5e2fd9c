import { fields, list, presence, text, word, type Mask } from "./field-mask.ts";
import { valueAt } from "./read-facts.ts";

interface KindMask {
  readonly spec: Mask;
  readonly status: Mask;
}

export const conditions: Mask = list(
  fields({
    type: word,
    status: word,
    reason: word,
    message: text,
    severity: word,
    observedGeneration: word,
  }),
);

const termination = fields({
  exitCode: word,
  signal: word,
  reason: word,
  message: text,
  finishedAt: word,
});
const containerState = fields({
  waiting: fields({ reason: word, message: text }),
  running: fields({ startedAt: word }),
  terminated: termination,
});

const containerStatuses: Mask = list(
  fields({
    name: word,
    image: word,
    ready: word,
    started: word,
    restartCount: word,
    state: containerState,
    lastState: fields({ terminated: termination }),
  }),
  { limit: 16, isUrgent: (status) => valueAt(status, "ready") !== true },
);

const probes = list(
  fields({ name: word, readinessProbe: presence, startupProbe: presence, restartPolicy: word }),
  { limit: 16 },
);

const pod: KindMask = {
  spec: fields({ restartPolicy: word, containers: probes, initContainers: probes }),
  status: fields({
    phase: word,
    reason: word,
    message: text,
    conditions,
    initContainerStatuses: containerStatuses,
    containerStatuses,
  }),
};

const replicas: KindMask = {
  spec: fields({
    replicas: word,
    paused: word,
    updateStrategy: fields({ type: word, rollingUpdate: fields({ partition: word }) }),
  }),
  status: fields({
    observedGeneration: word,
    replicas: word,
    updatedReplicas: word,
    readyReplicas: word,
    availableReplicas: word,
    currentRevision: word,
    updateRevision: word,
    desiredNumberScheduled: word,
    updatedNumberScheduled: word,
    numberReady: word,
    numberAvailable: word,
    conditions,
  }),
};

const job: KindMask = {
  spec: fields({ suspend: word, paused: word, completions: word, parallelism: word }),
  status: fields({ active: word, succeeded: word, failed: word, conditions }),
};

const cronJob: KindMask = {
  spec: fields({ suspend: word, paused: word }),
  status: fields({
    active: list(presence),
    lastScheduleTime: word,
    lastSuccessfulTime: word,
  }),
};

const loadBalancer = fields({ loadBalancer: fields({ ingress: list(presence) }), conditions });
const nothing = fields({});

/** The masks of kinds that have rules of their own, by group and kind. Others are read by their signals. */
export const kindMasks: ReadonlyMap<string, KindMask> = new Map([
  ["/Pod", pod],
  ["apps/Deployment", replicas],
  ["apps/ReplicaSet", replicas],
  ["apps/StatefulSet", replicas],
  ["apps/DaemonSet", replicas],
  ["/ReplicationController", replicas],
  ["batch/Job", job],
  ["batch/CronJob", cronJob],
  ["apps.kruise.io/AdvancedCronJob", cronJob],
  [
    "/PersistentVolumeClaim",
    { spec: fields({ volumeName: word }), status: fields({ phase: word, conditions }) },
  ],
  ["/PersistentVolume", { spec: nothing, status: fields({ phase: word, reason: word, message: text }) }],
  ["/Service", { spec: fields({ type: word, externalIPs: list(presence) }), status: loadBalancer }],
  ["networking.k8s.io/Ingress", { spec: nothing, status: loadBalancer }],
  ["extensions/Ingress", { spec: nothing, status: loadBalancer }],
  [
    "autoscaling/HorizontalPodAutoscaler",
    {
      spec: fields({ minReplicas: word, maxReplicas: word }),
      status: fields({ currentReplicas: word, desiredReplicas: word, conditions }),
    },
  ],
  ["apiregistration.k8s.io/APIService", { spec: nothing, status: fields({ conditions }) }],
  ["apiextensions.k8s.io/CustomResourceDefinition", { spec: nothing, status: fields({ conditions }) }],
  ["/Namespace", { spec: nothing, status: fields({ phase: word, conditions }) }],
  // These hold data, and nobody reports on them.
  ["/Secret", { spec: nothing, status: nothing }],
  ["/ConfigMap", { spec: nothing, status: nothing }],
]);
