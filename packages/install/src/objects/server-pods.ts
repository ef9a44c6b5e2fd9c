import type { ServerSettings } from "../values/parse-values.ts";
import { any, item, not, releaseName, sum, value } from "../template/expression.ts";
import { each, ifSet, when, type ObjectTemplate, type TemplateMap } from "../template/template.ts";
import {
  headlessName,
  labelsWith,
  metadata,
  selectorLabels,
  userId,
  usesPostgres,
} from "./installation-names.ts";
import { serverContainer } from "./server-container.ts";
import { serverVolumes } from "./server-volumes.ts";

/** How long the server may take after its drain time to close what is open. */
const closingSeconds = 10;

/** How long a pod may take until its server is started, besides: a node is chosen, and the image pulled. */
const scheduleSeconds = 60;

/** Different nodes, if there are some: a node that dies takes one server with it. */
const onDifferentNodes: TemplateMap = {
  podAntiAffinity: {
    preferredDuringSchedulingIgnoredDuringExecution: [
      {
        weight: 100,
        podAffinityTerm: {
          topologyKey: "kubernetes.io/hostname",
          labelSelector: { matchLabels: selectorLabels },
        },
      },
    ],
  },
};

/** As the `restricted` pod security standard asks. */
function podTemplate(settings: ServerSettings): TemplateMap {
  return {
    metadata: { labels: labelsWith("podLabels"), annotations: ifSet(value("podAnnotations")) },
    spec: {
      serviceAccountName: releaseName,
      automountServiceAccountToken: false,
      // The variables that Kubernetes makes of Services would be taken for settings.
      enableServiceLinks: false,
      terminationGracePeriodSeconds: sum(
        value("drain.delaySeconds"),
        value("drain.timeSeconds"),
        closingSeconds,
      ),
      imagePullSecrets: when(value("image.pullSecrets"), [each(value("image.pullSecrets"), { name: item })]),
      priorityClassName: ifSet(value("priorityClassName")),
      nodeSelector: ifSet(value("nodeSelector")),
      tolerations: ifSet(value("tolerations")),
      affinity: when(any(value("affinity"), not(usesPostgres)), ifSet(value("affinity")), onDifferentNodes),
      topologySpreadConstraints: ifSet(value("topologySpreadConstraints")),
      securityContext: {
        runAsNonRoot: true,
        runAsUser: userId,
        runAsGroup: userId,
        fsGroup: userId,
        fsGroupChangePolicy: "OnRootMismatch",
        seccompProfile: { type: "RuntimeDefault" },
      },
      containers: [serverContainer(settings)],
      volumes: serverVolumes,
    },
  };
}

/** Servers on PostgreSQL: a new one is ready before an old one goes. */
export function deployment(settings: ServerSettings): ObjectTemplate {
  return {
    file: "deployment",
    condition: usesPostgres,
    template: {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: metadata(),
      spec: {
        replicas: value("replicas"),
        selector: { matchLabels: selectorLabels },
        // A server that may still be starting is not given up.
        progressDeadlineSeconds: sum(value("probes.startupSeconds"), scheduleSeconds),
        strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
        template: podTemplate(settings),
      },
    },
  };
}

/** The server on SQLite, with a volume that outlives its pod. Two pods never have the volume at once. */
export function statefulSet(settings: ServerSettings): ObjectTemplate {
  return {
    file: "stateful-set",
    condition: not(usesPostgres),
    template: {
      apiVersion: "apps/v1",
      kind: "StatefulSet",
      metadata: metadata(),
      spec: {
        replicas: value("replicas"),
        serviceName: headlessName,
        // In the usual order, Kubernetes waits for a pod that cannot start, and never puts one that can in its place.
        podManagementPolicy: "Parallel",
        selector: { matchLabels: selectorLabels },
        template: podTemplate(settings),
        volumeClaimTemplates: [
          {
            // Nothing here may ever change: Kubernetes refuses that.
            metadata: { name: "data", labels: selectorLabels },
            spec: {
              accessModes: ["ReadWriteOnce"],
              resources: { requests: { storage: value("database.sqlite.size") } },
              storageClassName: ifSet(value("database.sqlite.storageClassName")),
            },
          },
        ],
      },
    },
  };
}
