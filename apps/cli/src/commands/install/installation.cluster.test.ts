/** Every case of values, as objects that a real API server would take: server-side applies that change nothing. */
import { existsSync } from "node:fs";
import { Agent, request } from "node:https";
import { fileURLToPath, pathToFileURL } from "node:url";
import { isDeepStrictEqual } from "node:util";

import { namespaceObject, type KubernetesObject } from "@bowline/api/agent-manifest";
import { asRecord } from "@bowline/core";
import { installationObjects, parseValues } from "@bowline/install";
import { valueCases } from "@bowline/install/testing";
import { startApiServer, type ApiServer } from "@bowline/test-cluster";
import { certificateDefinition } from "@bowline/test-gateway";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";

const { serverSettings } = await import("@bowline/server/settings");
const namespace = "bowline-system";

const plurals: Readonly<Record<string, string>> = {
  Certificate: "certificates",
  Deployment: "deployments",
  Ingress: "ingresses",
  NetworkPolicy: "networkpolicies",
  Pod: "pods",
  PodDisruptionBudget: "poddisruptionbudgets",
  Service: "services",
  ServiceAccount: "serviceaccounts",
  ServiceMonitor: "servicemonitors",
  StatefulSet: "statefulsets",
  TLSRoute: "tlsroutes",
};

/** Definitions of others, where they are at hand, or in `TEST_FIXTURES`: kinds without one are left out, and that is said. */
const fixtures = process.env["TEST_FIXTURES"]
  ? pathToFileURL(`${process.env["TEST_FIXTURES"]}/`)
  : new URL("../../../../../../shared/fixtures/", import.meta.url);
const definitions = new Map([
  ["TLSRoute", new URL("gateway-api/standard/gateway.networking.k8s.io_tlsroutes.yaml", fixtures)],
  [
    "ServiceMonitor",
    new URL("prometheus-operator/crds/monitoring.coreos.com_servicemonitors.yaml", fixtures),
  ],
]);
const missingKinds = [...definitions].filter(([, file]) => !existsSync(file)).map(([kind]) => kind);
if (missingKinds.length > 0) {
  process.stderr.write(
    `${missingKinds.join(" and ")} were not tested: ${fileURLToPath(fixtures)} has no definitions.\n`,
  );
}

const everyKind = {
  tls: { certManager: { issuerRef: { name: "ca" } } },
  ingress: { enabled: true, host: "a.example.com" },
  gateway: { enabled: true, host: "b.example.com", parentRef: { name: "public" } },
  serviceMonitor: { enabled: true, tokenSecret: { name: "scrape" } },
  replicas: 2,
  database: { postgres: { existingSecret: "pg" } },
  encryption: { existingSecret: "keys" },
};

let server: ApiServer;
let minor: number;
const agent = new Agent({ keepAlive: true, maxSockets: 8 });

beforeAll(async () => {
  server = await startApiServer();
  minor = Number(server.version.split(".")[1]);
  await server.kubectl(["create", "-f", "-"], { input: JSON.stringify(namespaceObject(namespace)) });
  await server.kubectl(["create", "-f", "-"], { input: JSON.stringify(certificateDefinition) });
  for (const [kind, file] of definitions) {
    // Old servers do not know all fields of new definitions; kubectl would refuse what they ignore.
    if (!missingKinds.includes(kind))
      await server.kubectl(["create", "--validate=false", "-f", fileURLToPath(file)]);
  }
  const kinds = ["Certificate", ...definitions.keys()].filter((kind) => !missingKinds.includes(kind));
  const names = kinds.map((kind) => plurals[kind] ?? "").join();
  await vi.waitFor(() => server.kubectl(["get", names, "--namespace", namespace]), {
    timeout: 60_000,
    interval: 250,
  });
});
afterAll(async () => {
  agent.destroy();
  await server?.stop();
});

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** Dry runs are answered as if they had been real; new servers refuse fields that they do not know. */
function apply(object: KubernetesObject): Promise<Answer> {
  const { apiVersion, kind, metadata } = object;
  const group = apiVersion === "v1" ? "/api/v1" : `/apis/${apiVersion}`;
  const path = `${group}/namespaces/${namespace}/${plurals[kind]}/${metadata.name}`;
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const sent = request(`${server.url}${path}?dryRun=All&fieldManager=bowline&fieldValidation=Strict`, {
    method: "PATCH",
    agent,
    ca: server.caCert,
    headers: {
      authorization: `Bearer ${server.adminToken}`,
      "content-type": "application/apply-patch+yaml",
    },
  });
  sent.on("error", reject).on("response", (response) => {
    let text = "";
    response.setEncoding("utf8").on("data", (part: string) => (text += part));
    response.on("end", () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) }));
  });
  sent.end(JSON.stringify(object));
  return promise;
}

function objectsOf(values: object): KubernetesObject[] {
  const release = { name: "bowline", namespace, version: "1.2.3", kubernetesVersion: `1.${minor}` };
  const objects = installationObjects(parseValues(values, serverSettings), release, serverSettings);
  return objects.filter(({ kind }) => !missingKinds.includes(kind));
}

/** A pod of the template, for the admission that only looks at pods: the namespace takes none but restricted ones. */
function podOf(objects: readonly KubernetesObject[]): KubernetesObject {
  const owner = objects.find(({ kind }) => kind === "StatefulSet" || kind === "Deployment");
  const template = asRecord(asRecord(owner?.["spec"])["template"]);
  const spec = asRecord(template["spec"]);
  const volumes: unknown[] = Array.isArray(spec["volumes"]) ? spec["volumes"] : [];
  const claimed = owner?.kind === "StatefulSet" ? [{ name: "data", emptyDir: {} }] : [];
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "bowline-0", namespace },
    spec: { ...spec, volumes: [...volumes, ...claimed] },
  };
}

async function problemsWith(objects: readonly KubernetesObject[]): Promise<unknown[]> {
  const answers = await Promise.all(objects.map(async (object) => ({ object, ...(await apply(object)) })));
  return answers.flatMap(({ object, status, body }) => {
    if (status !== 200 && status !== 201) return [[object.kind, asRecord(body)["message"]]];
    return isWithin(object, body) ? [] : [[object.kind, "has lost something"]];
  });
}

describe("a real API server takes all objects", () => {
  test.for(valueCases())("with $name", async ({ values, sinceMinor = 0 }, { skip }) => {
    skip(minor < sinceMinor, `Kubernetes 1.${minor} does not know it`);
    const objects = objectsOf(values);
    expect(await problemsWith([...objects, podOf(objects)])).toEqual([]);
  });

  test("of every kind that there is", () => {
    const kinds = new Set(valueCases().flatMap(({ values }) => objectsOf(values).map(({ kind }) => kind)));
    const all = Object.keys(plurals).filter((kind) => kind !== "Pod" && !missingKinds.includes(kind));
    expect([...kinds].toSorted()).toEqual(all);
  });

  test("and none that has a field it does not know", async () => {
    for (const object of objectsOf({ ...everyKind })) {
      const wrong = { ...object, spec: { ...asRecord(object["spec"]), noSuchField: "x" } };
      expect(await problemsWith([wrong])).toHaveLength(1);
    }
  });

  test("and no pod that may do more than it has to", async () => {
    const pod = podOf(objectsOf({}));
    const privileged = { ...pod, spec: { ...asRecord(pod["spec"]), hostNetwork: true } };
    // Old servers do not look at the label of the namespace.
    expect(await problemsWith([privileged])).toHaveLength(minor < 25 ? 0 : 1);
  });
});

/** Whether everything that was sent came back: servers drop fields that they do not know. */
function isWithin(sent: unknown, kept: unknown): boolean {
  if (Array.isArray(sent)) {
    return Array.isArray(kept) && sent.every((item: unknown) => kept.some((other) => isWithin(item, other)));
  }
  if (typeof sent === "object" && sent !== null) {
    return Object.entries(sent).every(([key, value]) => isWithin(value, asRecord(kept)[key]));
  }
  return isDeepStrictEqual(sent, kept);
}
