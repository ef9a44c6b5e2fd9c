import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";

import { startKubesim, type Kubesim } from "../kubesim.ts";
import { readPath } from "../store/json-value.ts";
import { parseProtobufObject } from "./protobuf-object.ts";
import { findProtobufKubectl, noSuchKubectl, runKubectl } from "./testing/protobuf-kubectl.ts";

vi.mock("./protobuf-object.ts", { spy: true });

const program = await findProtobufKubectl();

let sim: Kubesim;
let home: string;

beforeAll(async () => {
  sim = await startKubesim({ controllers: false });
  home = await mkdtemp(join(tmpdir(), "kubesim-kubectl-"));
  await writeFile(join(home, "kubeconfig"), sim.kubeconfig(), { mode: 0o600 });
  sim.api.create("serviceaccounts", {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { namespace: "default", name: "robot" },
  });
});

afterAll(async () => {
  await sim.stop();
  await rm(home, { recursive: true, force: true });
});

beforeEach(({ skip }) => {
  skip(program === undefined, noSuchKubectl);
  vi.mocked(parseProtobufObject).mockClear();
});

function kubectl(command: string, stdin = ""): Promise<string> {
  const kubeconfigPath = join(home, "kubeconfig");
  return runKubectl(program ?? "", command.split(" "), { home, kubeconfigPath, stdin });
}

/** The kinds of the protobuf bodies since the test began; without them a test would show nothing. */
function kindsSent(): unknown[] {
  return vi.mocked(parseProtobufObject).mock.results.map(({ value }) => readPath(value, "kind"));
}

const creations = [
  ["Namespace", "namespaces", "create namespace NAME"],
  ["ConfigMap", "configmaps", "create configmap NAME --from-literal=a=b --from-literal=empty="],
  ["Secret", "secrets", "create secret generic NAME --from-literal=password=hush"],
  ["ServiceAccount", "serviceaccounts", "create serviceaccount NAME"],
  ["Deployment", "deployments.apps", "create deployment NAME --image=web:1 --replicas=0 --port=80"],
  ["Job", "jobs.batch", "create job NAME --image=web:1 -- sh -c true"],
  ["CronJob", "cronjobs.batch", "create cronjob NAME --image=web:1 --schedule=@hourly"],
  ["Service", "services", "create service clusterip NAME --tcp=80:http"],
  ["Ingress", "ingresses.networking.k8s.io", "create ingress NAME --rule=example.com/a*=web:80"],
  ["ResourceQuota", "resourcequotas", "create quota NAME --hard=cpu=1500m,pods=3"],
  [
    "PodDisruptionBudget",
    "poddisruptionbudgets.policy",
    "create pdb NAME --min-available=50% --selector=a=b",
  ],
  ["PriorityClass", "priorityclasses.scheduling.k8s.io", "create priorityclass NAME --value=10"],
  ["Role", "roles.rbac.authorization.k8s.io", "create role NAME --verb=get --resource=pods/log"],
  [
    "RoleBinding",
    "rolebindings.rbac.authorization.k8s.io",
    "create rolebinding NAME --role=reader --user=auditor --serviceaccount=default:robot",
  ],
] as const;

const clusterScoped: ReadonlySet<string> = new Set(["Namespace", "PriorityClass"]);

/** A stored object without its name, and without what differs from one creation to the next. */
function essence(kind: string, resource: string, name: string): unknown {
  const object = sim.api.get(resource, clusterScoped.has(kind) ? undefined : "default", name);
  const text = JSON.stringify(object)
    .replaceAll(name, "NAME")
    .replaceAll(object?.metadata.uid ?? "", "UID");
  return JSON.parse(text, (key, value: unknown) => (passing.has(key) ? undefined : value));
}

const passing = new Set(["resourceVersion", "creationTimestamp", "time", "clusterIP", "clusterIPs"]);

describe("kubectl, which sends protobuf", () => {
  it.each(creations)("creates the %s that JSON would", async (kind, resource, command) => {
    await kubectl(command.replace("NAME", "by-protobuf"));
    expect(kindsSent()).toEqual([kind]);
    const [head, ...rest] = command.replace("NAME", "by-json").split(" -- ");
    const manifest = await kubectl([`${head} --dry-run=client -o json`, ...rest].join(" -- "));
    await kubectl("create -f -", manifest);
    expect(kindsSent()).toEqual([kind]);
    const byProtobuf = essence(kind, resource, "by-protobuf");
    expect(byProtobuf).toMatchObject({ kind, metadata: { name: "NAME" } });
    expect(byProtobuf).toEqual(essence(kind, resource, "by-json"));
  });

  it("scales by hand and by load", async () => {
    await kubectl("create deployment scaled --image=web:1");
    await kubectl("scale deployment scaled --replicas=3");
    expect(sim.api.get("deployments.apps", "default", "scaled")).toMatchObject({ spec: { replicas: 3 } });
    await kubectl("autoscale deployment scaled --min=2 --max=5 --cpu-percent=70");
    expect(kindsSent()).toContain("HorizontalPodAutoscaler");
    expect(sim.api.get("horizontalpodautoscalers.autoscaling", "default", "scaled")).toMatchObject({
      spec: { minReplicas: 2, maxReplicas: 5, scaleTargetRef: { kind: "Deployment", name: "scaled" } },
    });
  });

  it("runs pods and exposes them", async () => {
    await kubectl("run web --image=web:1 --port=8080 --labels=app=web");
    await kubectl("expose pod web --port=80 --target-port=8080");
    expect(sim.api.get("services", "default", "web")).toMatchObject({
      spec: { selector: { app: "web" }, ports: [{ port: 80, targetPort: 8080, protocol: "TCP" }] },
    });
  });

  it("asks who it is and what it may do", async () => {
    expect(await kubectl("auth can-i list pods")).toBe("yes\n");
    expect(await kubectl("auth can-i --list")).toMatch(/^\*\.\* +\[\] +\[\] +\[\*\]$/m);
    expect(await kubectl("auth whoami")).toContain("kubernetes-admin");
    expect(kindsSent()).toEqual(["SelfSubjectAccessReview", "SelfSubjectRulesReview", "SelfSubjectReview"]);
  });

  it("gets tokens", async () => {
    const token = await kubectl("create token robot --duration=20m --audience=here");
    const [, claims = ""] = token.split(".");
    const { aud, exp, iat } = JSON.parse(Buffer.from(claims, "base64url").toString());
    expect([aud, exp - iat]).toEqual([["here"], 1200]);
    expect(kindsSent()).toEqual(["TokenRequest"]);
  });

  it("drains nodes", async () => {
    sim.api.create("nodes", { apiVersion: "v1", kind: "Node", metadata: { name: "full" } });
    sim.api.create("pods", {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { namespace: "default", name: "guest" },
      spec: { nodeName: "full", containers: [{ name: "c", image: "web:1" }] },
    });
    await kubectl("drain full --force --grace-period=0");
    expect(sim.api.get("pods", "default", "guest")).toBeUndefined();
  });
});
