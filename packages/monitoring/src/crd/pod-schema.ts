/** The settings of the pods that a collector runs in, named as Kubernetes names them. */
import {
  anything,
  choice,
  exactlyOneOf,
  integer,
  intOrString,
  labelValue,
  list,
  map,
  object,
  optional,
  qualifiedName,
  text,
} from "@bowline/api";

import { anyKey, labelSelector, longText, objectName, shortText } from "./field-schemas.ts";

/** A part that Kubernetes checks when the pods are made: its schema is not ours to repeat. */
const kubernetesObject = (description: string) =>
  map(description, anything("A field as Kubernetes has it."), { keys: anyKey, maxProperties: 64 });

const quantities = (description: string) =>
  map(description, intOrString("A quantity such as 500m or 2Gi.", { maxLength: 32 }), {
    keys: qualifiedName,
    maxProperties: 16,
  });
const labels = (description: string) =>
  map(description, text("The value.", labelValue), { keys: qualifiedName, maxProperties: 64 });

const toleration = object("A taint that the pods tolerate.", {
  key: optional(text("The key of the taint; all without it.", shortText)),
  operator: optional(choice("How the value is compared.", ["Exists", "Equal"])),
  value: optional(text("The value of the taint.", shortText)),
  effect: optional(choice("The effect of the taint.", ["NoSchedule", "PreferNoSchedule", "NoExecute"])),
  tolerationSeconds: optional(
    integer("How long NoExecute is tolerated.", { minimum: 0, maximum: 1_000_000_000 }),
  ),
});

const spreadConstraint = object("How evenly the pods are spread.", {
  maxSkew: integer("How uneven they may be.", { minimum: 1, maximum: 1_000_000 }),
  topologyKey: text("The label of nodes that tells the parts apart.", qualifiedName),
  whenUnsatisfiable: choice("What to do where it cannot be.", ["DoNotSchedule", "ScheduleAnyway"]),
  labelSelector: optional(labelSelector("Which pods are counted.")),
});

const storage = exactlyOneOf("Where the write-ahead log is kept; in an emptyDir without it.", {
  emptyDir: optional(kubernetesObject("A volume that goes with its pod.")),
  volumeClaimTemplate: optional(
    object("A PersistentVolumeClaim for each pod.", {
      metadata: optional(
        object("What the claims carry.", {
          labels: optional(labels("Labels.")),
          annotations: optional(
            map("Annotations.", text("The value.", longText), { keys: qualifiedName, maxProperties: 64 }),
          ),
        }),
      ),
      spec: kubernetesObject("The spec of the claims."),
    }),
  ),
});

export const podFields = {
  resources: optional(
    object("What the collector's container may use.", {
      requests: optional(quantities("What is set aside for it.")),
      limits: optional(quantities("What it may not go beyond.")),
    }),
  ),
  podMetadata: optional(
    object("What the pods carry besides what the operator puts on them.", {
      labels: optional(labels("Labels.")),
      annotations: optional(
        map("Annotations.", text("The value.", longText), { keys: qualifiedName, maxProperties: 64 }),
      ),
    }),
  ),
  imagePullPolicy: optional(choice("When images are pulled.", ["Always", "IfNotPresent", "Never"])),
  imagePullSecrets: optional(
    list("Secrets for pulling images.", object("A Secret.", { name: text("Its name.", objectName) }), {
      maxItems: 16,
    }),
  ),
  serviceAccountName: optional(
    text("The ServiceAccount of the pods, which must be allowed to discover targets.", objectName),
  ),
  nodeSelector: optional(labels("Labels that the nodes must have.")),
  tolerations: optional(list("Taints that the pods tolerate.", toleration, { maxItems: 64 })),
  affinity: optional(kubernetesObject("Which nodes and which other pods the pods are near to.")),
  topologySpreadConstraints: optional(list("How the pods are spread.", spreadConstraint, { maxItems: 16 })),
  securityContext: optional(kubernetesObject("The security context of the pods.")),
  priorityClassName: optional(text("The PriorityClass of the pods.", objectName)),
  runtimeClassName: optional(text("The RuntimeClass of the pods.", objectName)),
  terminationGracePeriodSeconds: optional(
    integer("How long a collector has to write what it holds when it is stopped.", {
      minimum: 0,
      maximum: 86_400,
    }),
  ),
  storage: optional(storage),
};
