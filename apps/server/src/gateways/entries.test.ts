import { Gateway, WorkloadDefinition, WorkloadInstance, type Author, type SpecOf } from "@bowline/api";
import type { ResourceRef } from "@bowline/kube";
import type { ObjectStore } from "@bowline/store";
import { openTestStore } from "@bowline/store/testing";
import { expect, test } from "vitest";

import { Entries, type EntryFacts } from "./entries.ts";
import { entryName, type Entry } from "./entry.ts";

const author: Author = { user: "editor", role: "editor", method: "token", groups: [] };
const entry: Entry = { cluster: "a", class: "reference", visibility: "public" };

function resource(group: string, kind: string): ResourceRef {
  return { group, version: "v1", kind, plural: `${kind.toLowerCase()}s`, namespaced: true };
}

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
  visibility: Entry["visibility"] = "public",
): Promise<void> {
  const spec: SpecOf<typeof Gateway> = {
    instance: "web",
    hosts: [`${name}.example.com`],
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
  const definition = await objects.get(WorkloadDefinition, entryName(entry));
  const manifests = definition?.spec.source.inline?.manifests ?? "";
  return (manifests.match(/(?<=^ {2}"kind": ")\w+/gmu) ?? []).toSorted();
}

test("an entry keeps the Certificates it asked for when somebody looks who may not see issuers", async () => {
  const { objects } = await openTestStore({ type: "sqlite", file: ":memory:" });
  const entries = new Entries(objects, undefined);
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
  expect(definition?.spec.source.inline?.manifests).toContain('"name": "other"');
});

test("an entry that somebody uses is not removed because nobody knows who wrote the oldest of them", async () => {
  const { objects } = await openTestStore({ type: "sqlite", file: ":memory:" });
  const entries = new Entries(objects, undefined);
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
  const entries = new Entries(objects, undefined);
  const internal: Entry = { ...entry, visibility: "internal" };
  const metadata = { name: entryName(internal), labels: {}, annotations: {} };
  const manifests = "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: theirs }\n";
  const spec = { source: { inline: { manifests } }, parameters: [] };
  await objects.create(WorkloadDefinition, { metadata, spec });
  await addMember(objects, "inside", author, "internal");
  await addMember(objects, "shop", author);
  const by = { author, fence: undefined };
  await entries.settle("a", factsWith([]), by, entry);
  expect(await objects.get(WorkloadInstance, entryName(entry))).toBeDefined();
  await expect(entries.settle("a", factsWith([]), by, internal)).rejects.toMatchObject({
    reason: "NameTaken",
  });
});
