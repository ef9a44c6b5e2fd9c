import { expect, test } from "vitest";

import type { ObjectFacts, Properties } from "../model/object-facts.ts";
import { askingAbout, shop, told } from "../testing/asking-about.ts";
import { edge, factsOf, ref } from "../testing/facts-of.ts";
import { audit } from "./audit.ts";

interface Sample {
  readonly name?: string;
  readonly pod?: Properties;
  readonly container?: Properties;
  readonly volume?: Properties;
  readonly account?: string;
}

/** A pod of a DaemonSet, of which each test says what is bad. */
function pod({
  name = "a",
  pod: properties = {},
  container = {},
  volume = {},
  account = "agent",
}: Sample): ObjectFacts {
  return factsOf(`Pod/shop/${name}`, {
    properties: { automountServiceAccountToken: false, ...properties },
    parts: [
      { node: ref(`Container/shop/${name}/containers/app`), properties: container },
      { node: ref(`Volume/shop/${name}/host`), properties: volume },
    ],
    edges: [
      edge("HAS_CONTAINER", [0, 1], "/spec/containers/0"),
      edge("USES_VOLUME", [0, 2], "/spec/volumes/0"),
      edge("USES_VOLUME", [1, 2], "/spec/containers/0/volumeMounts/0"),
      edge("RUNS_AS", [0, `ServiceAccount/shop/${account}`], "/spec/serviceAccountName"),
      edge("OWNS", ["DaemonSet/shop/agent", 0], "/metadata/ownerReferences/0", { controller: true }),
    ],
  });
}

function found(objects: readonly ObjectFacts[]): string[] {
  return audit(askingAbout(objects)).findings.map(({ id, severity, evidence }) => {
    return `${severity} ${id} ${evidence.map(({ at }) => at).join(" ")}`;
  });
}

test.each<[string, Sample, string]>([
  [
    "privileged",
    { container: { privileged: true } },
    "critical Privileged/east/DaemonSet/shop/agent/containers/app /spec/containers/0/securityContext/privileged",
  ],
  [
    "host network",
    { pod: { hostNetwork: true } },
    "medium HostNetwork/east/DaemonSet/shop/agent /spec/hostNetwork",
  ],
  ["host processes", { pod: { hostPID: true } }, "high HostPID/east/DaemonSet/shop/agent /spec/hostPID"],
  [
    "a socket of the node",
    { volume: { type: "hostPath", path: "/run/containerd/containerd.sock" } },
    "high HostPath/east/DaemonSet/shop/agent/host /spec/volumes/0/hostPath",
  ],
  [
    "a directory of the node",
    { volume: { type: "hostPath", path: "/data" } },
    "medium HostPath/east/DaemonSet/shop/agent/host /spec/volumes/0/hostPath",
  ],
  [
    "a strong capability",
    { container: { addedCapabilities: ["SYS_ADMIN"] } },
    "high AddedCapabilities/east/DaemonSet/shop/agent/containers/app /spec/containers/0/securityContext/capabilities/add",
  ],
  [
    "a harmless capability",
    { container: { addedCapabilities: ["NET_BIND_SERVICE"] } },
    "low AddedCapabilities/east/DaemonSet/shop/agent/containers/app /spec/containers/0/securityContext/capabilities/add",
  ],
  [
    "the default account",
    { account: "default" },
    "low DefaultServiceAccount/east/DaemonSet/shop/agent /spec/serviceAccountName",
  ],
])("finds %s, with the field", (_, sample, finding) => {
  expect(found([pod(sample)])).toEqual([finding]);
});

test("a pod that has nothing of it, or has ended, is fine", () => {
  expect(found([pod({})])).toEqual([]);
  expect(found([pod({ pod: { phase: "Succeeded" }, container: { privileged: true } })])).toEqual([]);
});

test("a finding is of the workload: the same for all its pods, and for those that come after them", () => {
  const [one, other] = [{ name: "a" }, { name: "b" }].map((sample) =>
    pod({ ...sample, pod: { hostIPC: true } }),
  );
  const answer = audit(askingAbout([one, other].filter((each) => each !== undefined)));
  expect(answer.findings).toMatchObject([{ count: 2, subject: { kind: "DaemonSet" } }]);
  expect(audit(askingAbout([pod({ name: "c", pod: { hostIPC: true } })])).findings[0]?.id).toBe(
    answer.findings[0]?.id,
  );
});

test.each<[string, boolean | undefined, boolean | undefined, string[]]>([
  ["neither says anything", undefined, undefined, [""]],
  ["the account says no", undefined, false, []],
  ["the account says yes", undefined, true, ["/automountServiceAccountToken"]],
  ["the pod says no, whatever the account says", false, true, []],
  ["the pod says yes, whatever the account says", true, false, ["/spec/automountServiceAccountToken"]],
])("a token is mounted, where %s", (_, ofPod, ofAccount, evidence) => {
  const field = (value: boolean | undefined): Properties =>
    value === undefined ? {} : { automountServiceAccountToken: value };
  const sample = pod({});
  const objects = [
    { ...sample, properties: field(ofPod) },
    factsOf("ServiceAccount/shop/agent", { properties: field(ofAccount) }),
  ];
  const tokens = audit(askingAbout(objects)).findings.filter(({ code }) => code === "AutomountedToken");
  expect(tokens.flatMap((each) => each.evidence.map(({ at }) => at))).toEqual(evidence);
  expect(tokens.every(({ severity }) => severity === "low")).toBe(true);
});

test("a token with rights is worse, and Secrets in the environment are told by name", () => {
  const { findings } = audit(askingAbout(shop));
  expect(findings.map(({ code, severity, subject }) => [code, severity, told(subject)])).toEqual([
    ["AutomountedToken", "medium", "Deployment/shop/web"],
    ["SecretInEnvironment", "low", "Deployment/shop/web"],
  ]);
  expect(findings[1]?.message).toContain(": db.");
});

test("risky rights are findings too, with the rule and who has it", () => {
  const rule = { verbs: ["*"], resources: ["*"], apiGroups: ["*"], resourceNames: [], nonResourceURLs: [] };
  const objects = [
    factsOf("ClusterRole//ops", { rules: [rule] }),
    factsOf("ClusterRoleBinding//ops", {
      edges: [
        edge("GRANTS", [0, "ClusterRole//ops"], "/roleRef"),
        edge("BINDS", [0, "User//somebody"], "/subjects/0"),
      ],
    }),
  ];
  const { findings } = audit(askingAbout(objects));
  const wildcard = findings.find(({ code }) => code === "Wildcard");
  expect(wildcard?.evidence.map(({ node, at }) => `${told(node)} ${at}`)).toEqual([
    "ClusterRole//ops /rules/0",
    "ClusterRoleBinding//ops /roleRef",
  ]);
  expect(wildcard?.id).toMatch(/^Wildcard\/east\/[0-9a-f]{16}$/u);
  expect(findings.map(({ code, subject }) => [code, told(subject)])).toContainEqual([
    "ClusterAdmin",
    "User//somebody",
  ]);
  const blind = audit(askingAbout(objects, { canSee: (_, __, kind) => kind === "ClusterRole" }));
  expect(blind.findings.every(({ subject }) => told(subject) === "ClusterRole//ops")).toBe(true);
  expect(blind.withheld).toBe(findings.length - blind.findings.length);
});

test("findings that one may not see are counted, the worst come first, and Kubernetes' own last", () => {
  const objects = [
    pod({ pod: { hostNetwork: true, hostPID: true } }),
    factsOf("Pod/kube-system/proxy", { properties: { hostIPC: true } }),
    factsOf("Pod/other/x", { properties: { hostPID: true } }),
  ];
  const answer = audit(askingAbout(objects, { canSee: (_, namespace) => namespace !== "other" }), {
    limit: 2,
  });
  expect(answer.findings.map(({ code }) => code)).toEqual(["HostPID", "HostNetwork"]);
  expect(answer).toMatchObject({
    total: 4,
    withheld: 1,
    truncated: true,
    bySeverity: { high: 2, medium: 1 },
  });
});
