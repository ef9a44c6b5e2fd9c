import { Gateway, WorkloadDefinition, WorkloadInstance, type Author, type SpecOf } from "@bowline/api";
import type { ResourceRef } from "@bowline/kube";
import { maxManifestBytes } from "@bowline/manifests";
import type { ObjectStore } from "@bowline/store";
import { openTestStore } from "@bowline/store/testing";
import { expect, test } from "vitest";

import { Entries, type EntryFacts, type EntryShare } from "./entries.ts";
import type { EntryInput } from "./entry-objects.ts";
import { entryInRoom } from "./entry-room.ts";
import { entryName, type Entry } from "./entry.ts";
import { manifestsOf, OwnedWorkloads } from "./owned-workloads.ts";

const author: Author = { user: "editor", role: "editor", method: "token", groups: [] };
const entry: Entry = { cluster: "a", class: "reference", visibility: "public" };

function resource(group: string, kind: string): ResourceRef {
  return { group, version: "v1", kind, plural: `${kind.toLowerCase()}s`, namespaced: true };
}

const options = { user: undefined, mayReach: () => Promise.resolve(true) };

/** Of a cluster with cert-manager, whose ClusterIssuers may be listed or not. */
function factsWith(issuers: readonly string[] | undefined): EntryFacts {
  const of = (kind: string): ResourceRef => resource("gateway.networking.k8s.io", kind);
  return {
    apis: {
      gatewayClass: of("GatewayClass"),
      gateway: of("Gateway"),
      httpRoute: of("HTTPRoute"),
      referenceGrant: undefined,
      tlsRoute: undefined,
      grpcRoute: undefined,
      ingress: undefined,
      listenerSet: undefined,
      certificates: {
        certificate: resource("cert-manager.io", "Certificate"),
        clusterIssuer: resource("cert-manager.io", "ClusterIssuer"),
      },
    },
    issuers: { names: issuers, isServed: true },
  };
}

/** A Gateway that uses the entry, written by somebody or by nobody who is known. */
async function addMember(
  objects: ObjectStore,
  name: string,
  by: Author | undefined,
  { visibility = "public", hosts = [`${name}.example.com`] }: Partial<SpecOf<typeof Gateway>> = {},
): Promise<void> {
  const spec: SpecOf<typeof Gateway> = {
    instance: "web",
    hosts,
    rules: [{ path: "/", service: "web", port: 80 }],
    tls: { mode: "terminate" },
    visibility,
    probe: true,
  };
  await objects.create(Gateway, { metadata: { name, labels: {}, annotations: {} }, spec }, { author: by });
  await objects.writeStatus(Gateway, name, ({ status }) => ({
    ...status,
    clusters: [
      {
        cluster: "a",
        ready: "True" as const,
        reason: "",
        message: "",
        class: "reference",
        addresses: [],
        checks: [],
      },
    ],
  }));
}

/** The kinds of the objects of the entry. */
async function kindsOf(objects: ObjectStore): Promise<string[]> {
  const { objects: written } = await new OwnedWorkloads(objects).read(entryName(entry));
  return written.map(({ kind }) => kind ?? "").toSorted();
}

test("an entry keeps the Certificates it asked for when somebody looks who may not see issuers", async () => {
  const { objects } = await openTestStore({ type: "sqlite", file: ":memory:" });
  const entries = new Entries(objects, options);
  await addMember(objects, "shop", author);
  await entries.settle("a", factsWith(["ca"]), { author, fence: undefined });
  expect(await kindsOf(objects)).toEqual(["Certificate", "Gateway", "Namespace"]);
  for (const issuers of [undefined, [], ["ca", "other"]]) {
    await entries.settle("a", factsWith(issuers), { author, fence: undefined });
    expect(await kindsOf(objects)).toEqual(["Certificate", "Gateway", "Namespace"]);
  }
  // Another one that is the only one by now is the one to ask.
  await entries.settle("a", factsWith(["other"]), { author, fence: undefined });
  const definition = await objects.get(WorkloadDefinition, entryName(entry));
  expect(definition?.spec.source.inline?.manifests).toContain('"name":"other"');
});

test("an entry that somebody uses is not removed because nobody knows who wrote the oldest of them", async () => {
  const { objects } = await openTestStore({ type: "sqlite", file: ":memory:" });
  const entries = new Entries(objects, options);
  await addMember(objects, "old", undefined);
  await addMember(objects, "young", author);
  await entries.settle("a", factsWith([]), { author, fence: undefined });
  const written = await objects.get(WorkloadInstance, entryName(entry));
  expect(written?.spec.actingUser).toBe("editor");
  await objects.delete(Gateway, "young");
  await entries.settle("a", factsWith([]), { author, fence: undefined });
  expect(await objects.get(WorkloadInstance, entryName(entry))).toBeDefined();
});

test("an entry that cannot be written is the trouble of those who use it alone", async () => {
  const { objects } = await openTestStore({ type: "sqlite", file: ":memory:" });
  const entries = new Entries(objects, options);
  const internal: Entry = { ...entry, visibility: "internal" };
  const metadata = { name: entryName(internal), labels: {}, annotations: {} };
  const manifests = "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: theirs }\n";
  const spec = { source: { inline: { manifests } }, parameters: [] };
  await objects.create(WorkloadDefinition, { metadata, spec });
  await addMember(objects, "inside", author, { visibility: "internal" });
  await addMember(objects, "shop", author);
  const by = { author, fence: undefined };
  await entries.settle("a", factsWith([]), by, entry);
  expect(await objects.get(WorkloadInstance, entryName(entry))).toBeDefined();
  await expect(entries.settle("a", factsWith([]), by, internal)).rejects.toMatchObject({
    reason: "NameTaken",
  });
});

/** With certificates of cert-manager. */
function inputOf(count: number, known: EntryInput["known"] = new Map()): EntryInput {
  const certificate = { from: "issuer", issuer: "letsencrypt" } as const;
  const hosts = Array.from({ length: count }, (_, index) => ({
    host: `host-${String(index).padStart(4, "0")}.example.com`,
    mode: "terminate" as const,
    certificate,
  }));
  return { entry, apis: factsWith([]).apis, hosts, known };
}

test("an entry has room for more than a thousand hosts with certificates of cert-manager", () => {
  expect(entryInRoom(inputOf(1_100)).hosts).toHaveLength(1_100);
});

test("an entry leaves out what has no room: the last, and not one that has a listener", () => {
  const many = inputOf(2_000);
  const { hosts, objects } = entryInRoom(many);
  expect(hosts).toEqual(many.hosts.slice(0, hosts.length));
  const length = Buffer.byteLength(manifestsOf(objects));
  expect(length).toBeLessThanOrEqual(maxManifestBytes);
  // No more than one of them.
  expect(length).toBeGreaterThan(maxManifestBytes - 2_000);
  const [last] = many.hosts.slice(-1);
  const known = new Map([[last?.host ?? "", { kind: "Gateway", index: 3 } as const]]);
  const kept = entryInRoom({ ...many, known }).hosts;
  expect(kept).toContainEqual(last);
  expect(Math.abs(kept.length - hosts.length)).toBeLessThanOrEqual(2);
});

test("a Gateway that comes to an entry without room is told of, and the others stay and may change", async () => {
  const { objects } = await openTestStore({ type: "sqlite", file: ":memory:" });
  const entries = new Entries(objects, options);
  const hosts = (name: string): string[] =>
    Array.from({ length: 16 }, (_, index) => `${name}-${index}.${"long-".repeat(11)}name.example.com`);
  const names = Array.from({ length: 70 }, (_, index) => `shop-${String(index).padStart(2, "0")}`);
  for (const name of names) await addMember(objects, name, author, { hosts: hosts(name) });
  const facts = factsWith(["ca"]);
  const by = { author, fence: undefined };
  await entries.settle("a", facts, by, entry);
  const share = async (name: string): Promise<EntryShare> => {
    const gateway = await objects.get(Gateway, name);
    if (gateway === undefined) throw new Error(`There is no Gateway ${name}.`);
    return entries.shareOf(entry, gateway, facts);
  };
  const first = await share("shop-00");
  expect(first.withoutRoom).toEqual([]);
  expect([...first.places.keys()]).toHaveLength(first.hosts.length);
  expect((await share("shop-69")).withoutRoom).toEqual(hosts("shop-69"));
  // One that was there before gets its new host no more than the others, and takes nobody's place.
  const fitted = first.hosts.map(({ host }) => host);
  await objects.write(Gateway, "shop-00", (current) => {
    if (current === undefined) throw new Error("It is gone.");
    const { metadata, spec } = current;
    return { metadata, spec: { ...spec, hosts: [...spec.hosts.slice(1), ...hosts("new").slice(0, 1)] } };
  });
  await entries.settle("a", facts, by, entry);
  const changed = (await share("shop-01")).hosts.map(({ host }) => host);
  expect(changed).toEqual(expect.arrayContaining(fitted.filter((host) => host !== hosts("shop-00")[0])));
});
