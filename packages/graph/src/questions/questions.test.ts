import { asRecord } from "@bowline/core";
import { expect, test } from "vitest";

import { kindFacts } from "../facts/kinds.ts";
import type { ObjectFacts } from "../model/object-facts.ts";
import { askingAbout, nodeOf, told } from "../testing/asking-about.ts";
import { audit } from "./audit.ts";
import { images } from "./images.ts";
import { orphans } from "./orphans.ts";
import { path } from "./path.ts";
import { search } from "./search.ts";
import { uses } from "./uses.ts";

/** What an object of Kubernetes says, as agents make it. */
function said(
  apiVersion: string,
  kind: string,
  name: string,
  rest: Record<string, unknown> = {},
): ObjectFacts {
  const group = apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "";
  const { metadata, ...fields } = rest;
  const own = { name, namespace: "shop", uid: `${kind}-${name}`, creationTimestamp: "2026-11-16T10:00:00Z" };
  return kindFacts({ group, kind }).facts({
    apiVersion,
    kind,
    metadata: { ...own, ...asRecord(metadata) },
    ...fields,
  });
}

const digest = `sha256:${"a".repeat(64)}`;
const podSpec = {
  serviceAccountName: "web",
  nodeName: "node-1",
  hostNetwork: true,
  containers: [
    {
      name: "app",
      image: "shop/web:1",
      env: [{ name: "DB_URL", valueFrom: { secretKeyRef: { name: "db", key: "url" } } }],
      envFrom: [{ configMapRef: { name: "flags", optional: true } }],
      securityContext: { privileged: true, capabilities: { add: ["SYS_ADMIN"] } },
    },
  ],
  volumes: [{ name: "host", hostPath: { path: "/var/run/docker.sock" } }],
};
const ownedBy = (apiVersion: string, kind: string, name: string): Record<string, unknown> => ({
  ownerReferences: [{ apiVersion, kind, name, uid: `${kind}-${name}`, controller: true }],
});
const objects = [
  said("apps/v1", "Deployment", "web", { spec: { replicas: 1, template: { spec: podSpec } } }),
  said("apps/v1", "ReplicaSet", "web-1", {
    metadata: ownedBy("apps/v1", "Deployment", "web"),
    spec: { replicas: 1, template: { spec: podSpec } },
  }),
  said("v1", "Pod", "web-1-a", {
    metadata: { ...ownedBy("apps/v1", "ReplicaSet", "web-1"), labels: { app: "web" } },
    spec: podSpec,
    status: {
      phase: "Running",
      podIP: "10.1.2.3",
      containerStatuses: [{ name: "app", imageID: `docker.io/shop/web@${digest}` }],
    },
  }),
  said("v1", "Service", "web", {
    spec: { type: "LoadBalancer", clusterIP: "10.96.0.7", selector: { app: "web" } },
  }),
  said("v1", "Secret", "db"),
  said("v1", "Secret", "old"),
  said("v1", "ServiceAccount", "web"),
];
const asking = askingAbout(objects);

test("a Secret is used by the one pod that was seen, not by its templates beside it", () => {
  const answer = uses(asking, nodeOf(asking, "Secret/shop/db"));
  expect(answer.users.map(({ user, owners }) => [told(user), ...owners.map(told)])).toEqual([
    ["Pod/shop/web-1-a", "ReplicaSet/shop/web-1", "Deployment/shop/web"],
  ]);
});

test("a Service leads to the Secret through its pod", () => {
  const answer = path(asking, nodeOf(asking, "Service/shop/web"), nodeOf(asking, "Secret/shop/db"));
  expect(answer.hops.map(({ to }) => told(to))).toEqual([
    "Pod/shop/web-1-a",
    "Container/shop/web-1-a/containers/app",
    "Secret/shop/db",
  ]);
});

test("images, orphans and findings read what agents write", () => {
  expect(images(asking).images).toMatchObject([
    {
      digest,
      aliases: [{ reference: "docker.io/shop/web:1", repository: "shop/web", tag: "1" }],
      containers: 1,
    },
  ]);
  const { unused, dangling } = orphans(asking);
  expect(unused.map(({ node }) => told(node))).toEqual(["Secret/shop/old"]);
  expect(dangling.map(({ node, optional }) => [told(node), optional])).toEqual([
    ["ConfigMap/shop/flags dangling", true],
    ["Node//node-1 dangling", false],
  ]);
  expect(audit(asking).findings.map(({ code, subject }) => `${code} ${told(subject)}`)).toEqual(
    [
      "Privileged",
      "AddedCapabilities",
      "HostPath",
      "HostNetwork",
      "AutomountedToken",
      "SecretInEnvironment",
    ].map((code) => `${code} Deployment/shop/web`),
  );
});

test.each([
  ["10.1.2.3", "Pod/shop/web-1-a ip"],
  ["10.96.0.7", "Service/shop/web ip"],
  ["shop/web:1", `ContainerImage//${digest} image`],
])("search finds %s", (text, hit) => {
  expect(search(asking, text).hits.map(({ node, field }) => `${told(node)} ${field}`)).toContain(hit);
});

test("answers say of an object that has too much to say that not all of it is there", () => {
  const env = Array.from({ length: 10_000 }, (_none, index) => ({
    name: `V${index}`,
    valueFrom: { secretKeyRef: { name: `s${index}`, key: "key" } },
  }));
  const large = said("v1", "Pod", "large", { spec: { containers: [{ name: "app", env }] } });
  const asking = askingAbout([large]);
  const { users } = uses(asking, nodeOf(asking, "Secret/shop/s1"));
  expect(users.map(({ user }) => user)).toEqual([
    expect.objectContaining({ name: "large", cut: large.cut?.["edges"] }),
  ]);
  expect(large.cut?.["edges"]).toBeGreaterThan(5_000);
});
