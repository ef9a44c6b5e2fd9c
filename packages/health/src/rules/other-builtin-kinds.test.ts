import { expect, test } from "vitest";

import { healthFacts } from "../facts/health-facts.ts";
import { judge } from "../judge.ts";

const condition = (type: string, status: string, reason = "", message = ""): object => ({
  type,
  status,
  reason,
  message,
});

type Case = [id: string, name: string, object: object, health: string, reason: string];

const ingress = [{ ip: "192.0.2.1" }];
const scaling = [
  condition("AbleToScale", "True", "ReadyForNewScale"),
  condition("ScalingActive", "True", "ValidMetricFound"),
];

test.each<Case>([
  ["v1/PersistentVolumeClaim", "bound", { status: { phase: "Bound" } }, "Healthy", "Bound"],
  ["v1/PersistentVolumeClaim", "pending", { status: { phase: "Pending" } }, "Progressing", "Pending"],
  ["v1/PersistentVolumeClaim", "lost", { status: { phase: "Lost" } }, "Degraded", "VolumeLost"],
  [
    "v1/PersistentVolumeClaim",
    "cannot grow",
    { status: { phase: "Bound", conditions: [condition("NodeResizeError", "True")] } },
    "Degraded",
    "NodeResizeError",
  ],
  ["v1/PersistentVolume", "released", { status: { phase: "Released" } }, "Healthy", "Released"],
  [
    "v1/PersistentVolume",
    "failed",
    { status: { phase: "Failed", message: "no plugin" } },
    "Degraded",
    "VolumeFailed",
  ],
  ["v1/PersistentVolume", "hostile", { status: { phase: {} } }, "Progressing", "Pending"],
  ["v1/Service", "inside", { spec: { type: "ClusterIP" } }, "Healthy", "Available"],
  [
    "v1/Service",
    "balancer without address",
    { spec: { type: "LoadBalancer" }, status: { loadBalancer: {} } },
    "Progressing",
    "LoadBalancerPending",
  ],
  [
    "v1/Service",
    "balancer with one",
    { spec: { type: "LoadBalancer" }, status: { loadBalancer: { ingress } } },
    "Healthy",
    "Available",
  ],
  [
    "networking.k8s.io/v1/Ingress",
    "address",
    { status: { loadBalancer: { ingress } } },
    "Healthy",
    "AddressAssigned",
  ],
  ["networking.k8s.io/v1/Ingress", "none", { status: { loadBalancer: {} } }, "Progressing", "AddressPending"],
  [
    "autoscaling/v2/HorizontalPodAutoscaler",
    "works",
    { status: { conditions: scaling } },
    "Healthy",
    "ScalingActive",
  ],
  [
    "autoscaling/v2/HorizontalPodAutoscaler",
    "at its limit",
    {
      status: {
        conditions: [
          ...scaling,
          condition(
            "ScalingLimited",
            "True",
            "TooManyReplicas",
            "the desired count is more than the maximum",
          ),
        ],
      },
    },
    "Healthy",
    "TooManyReplicas",
  ],
  [
    "autoscaling/v2/HorizontalPodAutoscaler",
    "no metrics",
    {
      status: {
        conditions: [
          scaling[0],
          condition("ScalingActive", "False", "FailedGetResourceMetric", "no metrics"),
        ],
      },
    },
    "Degraded",
    "FailedGetResourceMetric",
  ],
  [
    "autoscaling/v2/HorizontalPodAutoscaler",
    "target at zero",
    { status: { conditions: [scaling[0], condition("ScalingActive", "False", "ScalingDisabled")] } },
    "Suspended",
    "ScalingDisabled",
  ],
  ["autoscaling/v2/HorizontalPodAutoscaler", "new", { status: {} }, "Progressing", "NotObserved"],
  [
    "autoscaling/v1/HorizontalPodAutoscaler",
    "conditions in an annotation",
    {
      metadata: { annotations: { "autoscaling.alpha.kubernetes.io/conditions": JSON.stringify(scaling) } },
      status: { currentReplicas: 1 },
    },
    "Healthy",
    "ScalingActive",
  ],
  [
    "autoscaling/v1/HorizontalPodAutoscaler",
    "broken annotation",
    { metadata: { annotations: { "autoscaling.alpha.kubernetes.io/conditions": "[{" } }, status: {} },
    "Progressing",
    "NotObserved",
  ],
  [
    "apiregistration.k8s.io/v1/APIService",
    "answers",
    { status: { conditions: [condition("Available", "True", "Passed")] } },
    "Healthy",
    "Passed",
  ],
  [
    "apiregistration.k8s.io/v1/APIService",
    "no endpoints",
    { status: { conditions: [condition("Available", "False", "MissingEndpoints")] } },
    "Progressing",
    "MissingEndpoints",
  ],
  [
    "apiregistration.k8s.io/v1/APIService",
    "wrong answer",
    { status: { conditions: [condition("Available", "False", "FailedDiscoveryCheck")] } },
    "Degraded",
    "FailedDiscoveryCheck",
  ],
  ["apiregistration.k8s.io/v1/APIService", "new", {}, "Progressing", "NotObserved"],
  [
    "apiextensions.k8s.io/v1/CustomResourceDefinition",
    "served",
    {
      status: {
        conditions: [
          condition("NamesAccepted", "True"),
          condition("Established", "True", "InitialNamesAccepted"),
        ],
      },
    },
    "Healthy",
    "Established",
  ],
  [
    "apiextensions.k8s.io/v1/CustomResourceDefinition",
    "being installed",
    { status: { conditions: [condition("Established", "False", "Installing")] } },
    "Progressing",
    "Installing",
  ],
  [
    "apiextensions.k8s.io/v1/CustomResourceDefinition",
    "names taken",
    { status: { conditions: [condition("NamesAccepted", "False", "ListKindConflict", "already in use")] } },
    "Degraded",
    "ListKindConflict",
  ],
  [
    "apiextensions.k8s.io/v1/CustomResourceDefinition",
    "wrong schema",
    {
      status: {
        conditions: [
          condition("Established", "True"),
          condition("NonStructuralSchema", "True", "Violations"),
        ],
      },
    },
    "Degraded",
    "Violations",
  ],
  [
    "apiextensions.k8s.io/v1/CustomResourceDefinition",
    "hostile",
    { status: { conditions: [{ type: "Established" }] } },
    "Degraded",
    "NotEstablished",
  ],
  ["v1/Namespace", "active", { status: { phase: "Active" } }, "Healthy", "Active"],
  [
    "v1/Namespace",
    "going",
    {
      status: {
        phase: "Terminating",
        conditions: [
          condition(
            "NamespaceContentRemaining",
            "True",
            "SomeResourcesRemain",
            "Some resources are remaining: pods. has 1 resource instances",
          ),
        ],
      },
    },
    "Progressing",
    "Terminating",
  ],
  [
    "v1/Namespace",
    "cannot go",
    {
      status: {
        phase: "Terminating",
        conditions: [
          condition("NamespaceDeletionDiscoveryFailure", "True", "DiscoveryFailed", "an API does not answer"),
        ],
      },
    },
    "Degraded",
    "DiscoveryFailed",
  ],
  [
    "v1/Node",
    "ready",
    {
      status: {
        conditions: [condition("Ready", "True", "KubeletReady"), condition("MemoryPressure", "False")],
      },
    },
    "Healthy",
    "KubeletReady",
  ],
  [
    "v1/Node",
    "under pressure",
    {
      status: {
        conditions: [condition("Ready", "True"), condition("DiskPressure", "True", "KubeletHasDiskPressure")],
      },
    },
    "Degraded",
    "KubeletHasDiskPressure",
  ],
  ["v1/Node", "cordoned", { spec: { unschedulable: true }, status: {} }, "Suspended", "Cordoned"],
  [
    "policy/v1/PodDisruptionBudget",
    "no disruption allowed",
    {
      status: {
        conditions: [condition("DisruptionAllowed", "False", "InsufficientPods")],
        observedGeneration: 1,
      },
    },
    "Healthy",
    "NothingWrong",
  ],
  ["v1/ConfigMap", "data", { data: { a: "b" } }, "Healthy", "NoStatus"],
  ["v1/Secret", "data", { data: { a: "b" } }, "Healthy", "NoStatus"],
])("%s: %s", (id, _name, object, ...[health, reason]) => {
  const parts = id.split("/");
  const found = judge(
    healthFacts({ apiVersion: parts.slice(0, -1).join("/"), kind: parts.at(-1), ...object }),
  );
  expect(found).toMatchObject({ health, reason });
});
