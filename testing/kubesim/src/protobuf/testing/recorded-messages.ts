/** A message that another program encoded, and what it means. */
export interface RecordedMessage {
  /** As JSON has it, without fields that are null. */
  readonly object: Readonly<Record<string, unknown>> & { readonly apiVersion: string; readonly kind: string };
  readonly base64: string;
}

/** Made with the encoders of client-go 1.32, so that a wrong number in a table is seen by somebody else. */
export const recordedMessages: readonly RecordedMessage[] = [
  {
    object: {
      apiVersion: "v1",
      kind: "Pod",
      metadata: {
        name: "web",
        labels: { "": "empty key", app: "web" },
        ownerReferences: [
          {
            apiVersion: "apps/v1",
            kind: "ReplicaSet",
            name: "web",
            uid: "u1",
            controller: true,
            blockOwnerDeletion: false,
          },
        ],
        managedFields: [
          {
            manager: "m",
            operation: "Update",
            apiVersion: "v1",
            time: "2024-02-29T12:30:45Z",
            fieldsType: "FieldsV1",
            fieldsV1: { "f:spec": { "f:hostname": {} } },
          },
        ],
      },
      spec: {
        volumes: [
          { name: "v", configMap: { name: "settings", defaultMode: 256 } },
          { name: "e", emptyDir: {} },
        ],
        containers: [
          {
            name: "c",
            image: "web:1",
            env: [
              { name: "A", valueFrom: { secretKeyRef: { name: "s", key: "k", optional: false } } },
              { name: "B", valueFrom: { resourceFieldRef: { resource: "limits.cpu", divisor: "0" } } },
            ],
            resources: { limits: { cpu: "1500m", memory: "1Gi" } },
            livenessProbe: { httpGet: { path: "/healthz", port: "http" }, periodSeconds: 5 },
            readinessProbe: { tcpSocket: { port: 8080 } },
          },
        ],
        ephemeralContainers: [{ name: "debug", image: "sh", resources: {}, targetContainerName: "c" }],
        terminationGracePeriodSeconds: 0,
        securityContext: { runAsUser: 0, supplementalGroups: [1000, -1] },
        tolerations: [{ operator: "Exists", tolerationSeconds: 0 }],
      },
      status: {},
    },
    base64: `azhzAAoJCgJ2MRIDUG9kEvoDCpoBCgN3ZWISABoAIgAqADIAOABCAFoNCgASCWVtcHR5IGtleVoKCgNhcHASA3dlYmoiCgpSZXBs
aWNhU2V0GgN3ZWIiAnUxKgdhcHBzL3YxMAE4AIoBRQoBbRIGVXBkYXRlGgJ2MSIICPXxga8GEAAyCEZpZWxkc1YxOh4KHHsiZjpz
cGVjIjp7ImY6aG9zdG5hbWUiOnt9fX1CABLIAgoXCgF2EhKaAQ8KCgoIc2V0dGluZ3MYgAIKCQoBZRIEEgIKABK3AQoBYxIFd2Vi
OjEqADoTCgFBEgAaDCIKCgMKAXMSAWsYADocCgFCEgAaFRITCgASCmxpbWl0cy5jcHUaAwoBMEIhCg4KA2NwdRIHCgUxNTAwbQoP
CgZtZW1vcnkSBQoDMUdpUigKHBIaCggvaGVhbHRoehIKCAEQABoEaHR0cBoAIgAQABgAIAUoADAAWhkKDRoLCgcIABCQPxoAEgAQ
ABgAIAAoADAAagByAIABAIgBAJABAKIBABoAIAAyAEIASgBSAFgAYABoAHIQEAAg6Acg////////////AYIBAIoBAJoBALIBEAoA
EgZFeGlzdHMaACIAKADCAQCSAiQKHwoFZGVidWcSAnNoKgBCAGoAcgCAAQCIAQCQAQCiAQASAWMaEAoAGgAiACoAMgBKAFoAcgAa
ACIA`,
  },
  {
    object: {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "web", namespace: "default" },
      spec: {
        replicas: 0,
        selector: { matchLabels: { app: "web" } },
        template: { metadata: {}, spec: {} },
        strategy: { rollingUpdate: { maxUnavailable: "25%", maxSurge: 0 } },
        revisionHistoryLimit: 0,
        paused: true,
      },
      status: {},
    },
    base64: `azhzAAoVCgdhcHBzL3YxEgpEZXBsb3ltZW50Eo0BChoKA3dlYhIAGgdkZWZhdWx0IgAqADIAOABCABJhCAASDAoKCgNhcHASA3dl
YhowChAKABIAGgAiACoAMgA4AEIAEhwaADIAQgBKAFIAWABgAGgAggEAigEAmgEAwgEAIhcKABITCgkIARAAGgMyNSUSBggAEAAa
ACgAMAA4ARoMCAAQABgAIAAoADgAGgAiAA==`,
  },
  {
    object: {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "s" },
      immutable: false,
      data: { a: "AAH/", empty: "" },
      stringData: { b: "ü" },
    },
    base64: `azhzAAoMCgJ2MRIGU2VjcmV0EjUKEQoBcxIAGgAiACoAMgA4AEIAEggKAWESAwAB/xIJCgVlbXB0eRIAGgAiBwoBYhICw7woABoA
IgA=`,
  },
  {
    object: {
      apiVersion: "v1",
      kind: "Event",
      metadata: { name: "e" },
      involvedObject: { kind: "Pod", name: "web" },
      source: {},
      firstTimestamp: "1969-12-31T23:59:59Z",
      count: 3,
      eventTime: "2024-01-02T03:04:05.000006Z",
      series: { count: 2, lastObservedTime: "2024-01-02T03:04:05.999999Z" },
      reportingComponent: "",
      reportingInstance: "",
    },
    base64: `azhzAAoLCgJ2MRIFRXZlbnQSawoRCgFlEgAaACIAKgAyADgAQgASFAoDUG9kEgAaA3dlYiIAKgAyADoAGgAiACoECgASADINCP//
/////////wEQADoAQANKAFIJCKX6zawGEPAuWhAIAhIMCKX6zawGEJiM69wDYgByAHoAGgAiAA==`,
  },
  {
    object: {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { name: "l" },
      spec: { holderIdentity: "", leaseDurationSeconds: 15, renewTime: "2024-01-02T03:04:05.678901Z" },
    },
    base64: `azhzAAofChZjb29yZGluYXRpb24uazhzLmlvL3YxEgVMZWFzZRInChEKAWwSABoAIgAqADIAOABCABISCgAQDyIMCKX6zawGEIjq
3MMCGgAiAA==`,
  },
  {
    object: {
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata: { name: "p" },
      spec: { minAvailable: 1 },
      status: {
        disruptedPods: { web: "2024-01-02T03:04:05Z" },
        disruptionsAllowed: 0,
        currentHealthy: 0,
        desiredHealthy: 0,
        expectedPods: 0,
      },
    },
    base64: `azhzAAogCglwb2xpY3kvdjESE1BvZERpc3J1cHRpb25CdWRnZXQSOgoRCgFwEgAaACIAKgAyADgAQgASCAoGCAAQARoAGhsIABIP
CgN3ZWISCAil+s2sBhAAGAAgACgAMAAaACIA`,
  },
  {
    object: {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SubjectAccessReview",
      metadata: {},
      spec: {
        resourceAttributes: { verb: "list", resource: "pods" },
        user: "user",
        extra: { scopes: ["a", "b"] },
      },
      status: { allowed: false },
    },
    base64: `azhzAAouChdhdXRob3JpemF0aW9uLms4cy5pby92MRITU3ViamVjdEFjY2Vzc1JldmlldxJQChAKABIAGgAiACoAMgA4AEIAEjIK
FgoAEgRsaXN0GgAiACoEcG9kczIAOgAaBHVzZXIqEAoGc2NvcGVzEgYKAWEKAWIyABoICAASABoAIAAaACIA`,
  },
  {
    object: {
      apiVersion: "apps/v1",
      kind: "ControllerRevision",
      metadata: { name: "r" },
      data: { spec: { n: [1, null, "x"] } },
      revision: 9007199254740991,
    },
    base64: `azhzAAodCgdhcHBzL3YxEhJDb250cm9sbGVyUmV2aXNpb24SOwoRCgFyEgAaACIAKgAyADgAQgASHQobeyJzcGVjIjp7Im4iOlsx
LG51bGwsIngiXX19GP////////8PGgAiAA==`,
  },
  {
    object: {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: { name: "s" },
      addressType: "IPv4",
      endpoints: [
        {
          addresses: ["10.0.0.1"],
          conditions: { ready: false },
          nodeName: "n",
          zone: "z",
          hints: { forZones: [{ name: "z" }] },
        },
      ],
      ports: [{ port: 80 }],
    },
    base64: `azhzAAokChNkaXNjb3ZlcnkuazhzLmlvL3YxEg1FbmRwb2ludFNsaWNlEjoKEQoBcxIAGgAiACoAMgA4AEIAEhsKCDEwLjAuMC4x
EgIIADIBbjoBekIFCgMKAXoaAhhQIgRJUHY0GgAiAA==`,
  },
  {
    object: {
      apiVersion: "discovery.k8s.io/v1beta1",
      kind: "EndpointSlice",
      metadata: { name: "s" },
      addressType: "IPv4",
      endpoints: [
        {
          addresses: ["10.0.0.1"],
          conditions: {},
          topology: { zone: "z" },
          nodeName: "n",
          hints: { forZones: [{ name: "z" }] },
        },
      ],
    },
    base64: `azhzAAopChhkaXNjb3ZlcnkuazhzLmlvL3YxYmV0YTESDUVuZHBvaW50U2xpY2USPAoRCgFzEgAaACIAKgAyADgAQgASIQoIMTAu
MC4wLjESACoJCgR6b25lEgF6MgFuOgUKAwoBeiIESVB2NBoAIgA=`,
  },
  {
    object: {
      apiVersion: "apps/v1",
      kind: "DeleteOptions",
      gracePeriodSeconds: 0,
      preconditions: { uid: "u" },
      propagationPolicy: "Foreground",
    },
    base64: `azhzAAoYCgdhcHBzL3YxEg1EZWxldGVPcHRpb25zEhMIABIDCgF1IgpGb3JlZ3JvdW5kGgAiAA==`,
  },
  {
    object: {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "widgets.example.com" },
      spec: {
        group: "example.com",
        names: { plural: "widgets", kind: "Widget" },
        scope: "Namespaced",
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: "object",
                properties: {
                  closed: { type: "object", additionalProperties: false },
                  free: { type: "object", additionalProperties: true },
                  map: {
                    type: "object",
                    additionalProperties: { type: "string" },
                    "x-kubernetes-preserve-unknown-fields": true,
                  },
                  pick: { type: "string", enum: ["a", "b"], nullable: true },
                  size: { type: "number", default: 0, maximum: 1.5, minimum: 0 },
                  tags: { type: "array", maxItems: 9, items: { type: "string" } },
                  tuple: {
                    items: [{ type: "string" }, {}],
                    dependencies: { a: ["b"], c: { type: "object" } },
                  },
                },
              },
            },
            subresources: { status: {} },
          },
        ],
      },
      status: { acceptedNames: { plural: "", kind: "" } },
    },
    base64: `azhzAAozChdhcGlleHRlbnNpb25zLms4cy5pby92MRIYQ3VzdG9tUmVzb3VyY2VEZWZpbml0aW9uEvQFCiMKE3dpZGdldHMuZXhh
bXBsZS5jb20SABoAIgAqADIAOABCABLABQoLZXhhbXBsZS5jb20aFQoHd2lkZ2V0cxIAIgZXaWRnZXQqACIKTmFtZXNwYWNlZDqL
BQoCdjEQARgBIvoECvcECgASACIAKgZvYmplY3QyADoAUABgAHoAkAEA6gEzCgZjbG9zZWQSKQoAEgAiACoGb2JqZWN0MgA6AFAA
YAB6AJABAPIBAggAqAIAuAIAwAIA6gExCgRmcmVlEikKABIAIgAqBm9iamVjdDIAOgBQAGAAegCQAQDyAQIIAagCALgCAMACAOoB
WQoDbWFwElIKABIAIgAqBm9iamVjdDIAOgBQAGAAegCQAQDyASgIARIkCgASACIAKgZzdHJpbmcyADoAUABgAHoAkAEAqAIAuAIA
wAIAqAIAsAIBuAIAwAIA6gE8CgRwaWNrEjQKABIAIgAqBnN0cmluZzIAOgBQAGAAegCQAQCiAQUKAyJhIqIBBQoDImIiqAIBuAIA
wAIA6gFDCgRzaXplEjsKABIAIgAqBm51bWJlcjIAOgBCAwoBMEkAAAAAAAD4P1AAWQAAAAAAAAAAYAB6AJABAKgCALgCAMACAOoB
VwoEdGFncxJPCgASACIAKgVhcnJheTIAOgBQAGAAegCAAQmQAQDCASYKJAoAEgAiACoGc3RyaW5nMgA6AFAAYAB6AJABAKgCALgC
AMACAKgCALgCAMACAOoBqgEKBXR1cGxlEqABCgASACIAKgAyADoAUABgAHoAkAEAwgFGEiQKABIAIgAqBnN0cmluZzIAOgBQAGAA
egCQAQCoAgC4AgDAAgASHgoAEgAiACoAMgA6AFAAYAB6AJABAKgCALgCAMACAIICCAoBYRIDEgFiggIrCgFjEiYKJAoAEgAiACoG
b2JqZWN0MgA6AFAAYAB6AJABAKgCALgCAMACAKgCALgCAMACAKgCALgCAMACACoCCgA4AFAAGgoSCAoAEgAiACoAGgAiAA==`,
  },
];
