import { resources, type KubeObject } from "@bowline/kube";
import type { KubeSocket } from "@bowline/kubesim/testing";
import { expect, it } from "vitest";

import { configMap } from "../objects.ts";
import { openSocket, refusalOf } from "../open-socket.ts";
import { sandbox, uniqueName } from "../sandbox.ts";
import type { RunningTarget } from "../target.ts";

const { configMaps } = resources;
/** Browsers always say where they come from, and the server insists on it. */
const headers = { origin: "https://console.example" };

interface TextEvent {
  readonly type: string;
  readonly object: KubeObject;
}

/** What browsers use: WebSockets in place of long answers. */
export function webSocketsContract(cluster: () => RunningTarget): void {
  const watchOf = (namespace: string, query = ""): string =>
    `/api/v1/namespaces/${namespace}/configmaps?watch=true&labelSelector=own${query}`;
  const own = (namespace: string, name: string): KubeObject =>
    configMap({ namespace, name, labels: { own: "" } });

  it("carry a watch, each event a text of its own", async () => {
    const { client, namespace } = await sandbox(cluster());
    await client.create(configMaps, own(namespace, "a"));
    const socket = await openSocket(cluster(), watchOf(namespace), { headers });
    expect(await nextEvent(socket)).toMatchObject({ type: "ADDED", object: { metadata: { name: "a" } } });
    await client.create(configMaps, own(namespace, "b"));
    await client.delete(configMaps, { namespace, name: "a" });
    expect(await nextEvent(socket)).toMatchObject({ type: "ADDED", object: { metadata: { name: "b" } } });
    expect(await nextEvent(socket)).toMatchObject({ type: "DELETED", object: { metadata: { name: "a" } } });
  });

  it("end a watch when its time is over", async () => {
    const { namespace } = await sandbox(cluster());
    const socket = await openSocket(cluster(), watchOf(namespace, "&timeoutSeconds=1"), { headers });
    expect(await socket.next()).toBeUndefined();
    expect(await socket.closed).toBe(1000);
  });

  it("end a watch when the client has had enough, whatever it has sent before", async () => {
    const { client, namespace } = await sandbox(cluster());
    const socket = await openSocket(cluster(), watchOf(namespace), { headers });
    socket.send("hello?");
    await client.create(configMaps, own(namespace, "a"));
    expect(await nextEvent(socket)).toMatchObject({ type: "ADDED" });
    socket.close();
    expect(await socket.closed).toBe(1000);
  });

  it("carry Tables, where the client can ask for them", async () => {
    const { client, namespace } = await sandbox(cluster());
    await client.create(configMaps, own(namespace, "a"));
    const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
    const socket = await openSocket(cluster(), watchOf(namespace), { headers: { ...headers, accept } });
    expect(await nextEvent(socket)).toMatchObject({ type: "ADDED", object: { kind: "Table" } });
  });

  it("carry a watch by any subprotocol, but not by a choice of them", async () => {
    const { namespace } = await sandbox(cluster());
    const socket = await openSocket(cluster(), watchOf(namespace), { headers, protocols: ["anything"] });
    expect(socket.protocol).toBe("anything");
    const choice = { headers, protocols: ["one", "two"] };
    expect(await refusalOf(cluster(), watchOf(namespace), choice)).toEqual({ status: 400, body: "" });
  });

  it("of watches are for clients that name their origin", async () => {
    const { namespace } = await sandbox(cluster());
    expect(await refusalOf(cluster(), watchOf(namespace))).toEqual({ status: 403, body: "" });
  });

  it("may show a token as a subprotocol, beside another one", async () => {
    const { namespace } = await sandbox(cluster());
    const shown = (token: string): string =>
      `base64url.bearer.authorization.k8s.io.${Buffer.from(token).toString("base64url")}`;
    const { adminToken } = cluster();
    const taken = { headers, token: "", protocols: ["anything", shown(adminToken)] };
    expect((await openSocket(cluster(), watchOf(namespace), taken)).protocol).toBe("anything");
    for (const protocols of [[shown(adminToken)], ["anything", shown("nonsense")]]) {
      const answer = await refusalOf(cluster(), watchOf(namespace), { headers, token: "", protocols });
      expect(answer).toMatchObject({ status: 401, body: { kind: "Status", reason: "Unauthorized" } });
    }
  });

  it("are refused as any request is, with a Status", async () => {
    const { namespace } = await sandbox(cluster());
    const { unprivileged } = cluster();
    const asGuest = { headers, token: unprivileged.token };
    expect(await refusalOf(cluster(), watchOf(namespace), asGuest)).toMatchObject({
      status: 403,
      body: { reason: "Forbidden", message: expect.stringContaining('cannot watch resource "configmaps"') },
    });
    const old = watchOf(namespace, "&resourceVersion=nonsense");
    expect(await refusalOf(cluster(), old, { headers })).toMatchObject({ body: { kind: "Status" } });
    const pod = `/api/v1/namespaces/${namespace}/pods/${uniqueName("none")}`;
    for (const stream of ["log", "log?follow=true"]) {
      expect(await refusalOf(cluster(), `${pod}/${stream}`)).toMatchObject({
        status: 404,
        body: { kind: "Status", reason: "NotFound", details: { kind: "pods" } },
      });
    }
  });

  it("are not for requests that have an end", async () => {
    const { namespace } = await sandbox(cluster());
    const list = `/api/v1/namespaces/${namespace}/configmaps`;
    expect(await refusalOf(cluster(), list, { headers })).toMatchObject({
      status: 200,
      body: { kind: "ConfigMapList" },
    });
  });
}

async function nextEvent(socket: KubeSocket): Promise<TextEvent> {
  const message = await socket.next();
  if (message === undefined) throw new Error("The server ended the watch.");
  expect(message).toMatchObject({ isText: true });
  expect(message.data.at(-1)).toBe(0x0a);
  const event: TextEvent = JSON.parse(message.data.toString());
  return event;
}
