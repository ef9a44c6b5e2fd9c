import { EventRecorder, resources, type KubeObject } from "@bowline/kube";
import { describe, expect, it } from "vitest";

import { configMap } from "../objects.ts";
import { sandbox } from "../sandbox.ts";
import type { RunningTarget } from "../target.ts";

const { configMaps, coreEvents, events } = resources;

export function eventsContract(cluster: () => RunningTarget): void {
  it("are one object in two groups", async () => {
    const { client, namespace } = await sandbox(cluster());
    const about = await client.create(configMaps, configMap({ namespace, name: "a" }));
    const regarding = { apiVersion: "v1", kind: "ConfigMap", namespace, name: "a", uid: about.metadata.uid };
    const eventTime = "2024-05-01T10:00:00.123456Z";
    await client.create(events, newEvent(namespace, { regarding, eventTime }));
    expect(await client.get(coreEvents, { namespace, name: "e" })).toMatchObject({
      apiVersion: "v1",
      kind: "Event",
      involvedObject: regarding,
      message: "It happened.",
      reason: "Happened",
      type: "Normal",
      action: "Test",
      reportingComponent: "example.com/contract",
      reportingInstance: "contract-1",
      eventTime,
    });
    expect(await client.get(events, { namespace, name: "e" })).toMatchObject({
      apiVersion: "events.k8s.io/v1",
      regarding,
      note: "It happened.",
      reportingController: "example.com/contract",
    });
  });

  it("are found by what they are about", async () => {
    const { client, namespace } = await sandbox(cluster());
    const regarding = { apiVersion: "v1", kind: "ConfigMap", namespace, name: "a", uid: "one" };
    const eventTime = "2024-05-01T10:00:00.000000Z";
    await client.create(events, newEvent(namespace, { regarding, eventTime }));
    const names = async (fieldSelector: string): Promise<unknown[]> =>
      (await client.list(coreEvents, { namespace, fieldSelector })).items.map(
        ({ metadata }) => metadata.name,
      );
    expect(await names("involvedObject.name=a,involvedObject.uid=one")).toEqual(["e"]);
    expect(await names("involvedObject.kind=Secret")).toEqual([]);
    expect(await names("type=Normal,reason=Happened")).toEqual(["e"]);
  });

  it("are counted in a series", async () => {
    const { client, namespace } = await sandbox(cluster());
    const regarding = { apiVersion: "v1", kind: "ConfigMap", namespace, name: "a" };
    const eventTime = "2024-05-01T10:00:00.000000Z";
    await client.create(events, newEvent(namespace, { regarding, eventTime }));
    const series = { count: 2, lastObservedTime: "2024-05-01T10:01:00.000000Z" };
    const patched = await client.patch(events, { series }, { namespace, name: "e", type: "merge" });
    expect(patched).toMatchObject({ series });
    expect(await client.get(coreEvents, { namespace, name: "e" })).toMatchObject({ series });
  });

  it("are written by the recorder, and the same again is counted", async () => {
    const { client, namespace } = await sandbox(cluster());
    const regarding = await client.create(configMaps, configMap({ namespace, name: "a" }));
    const errors: unknown[] = [];
    const recorder = new EventRecorder({
      client,
      reporter: { controller: "example.com/contract", instance: "contract-1" },
      onError: (error) => errors.push(error),
    });
    const event = {
      regarding,
      type: "Warning",
      reason: "Failed",
      action: "Trying",
      note: "It went wrong.",
    } as const;
    for (let count = 0; count < 3; count++) recorder.record(event);
    await recorder.stop();
    expect(errors).toEqual([]);
    const { items } = await client.list(coreEvents, {
      namespace,
      fieldSelector: `involvedObject.uid=${regarding.metadata.uid}`,
    });
    expect(items).toMatchObject([
      {
        type: "Warning",
        reason: "Failed",
        action: "Trying",
        message: "It went wrong.",
        involvedObject: { kind: "ConfigMap", namespace, name: "a" },
        reportingComponent: "example.com/contract",
        series: { count: 3 },
      },
    ]);
  });

  describe("are refused", () => {
    it("in a namespace other than that of their object", async () => {
      const { client, namespace } = await sandbox(cluster());
      const created = client.create(coreEvents, {
        apiVersion: "v1",
        kind: "Event",
        metadata: { namespace, name: "e" },
        involvedObject: { apiVersion: "v1", kind: "ConfigMap", namespace: "default", name: "a" },
      });
      await expect(created).rejects.toMatchObject({
        code: "Invalid",
        details: { causes: [{ field: "involvedObject.namespace" }] },
      });
    });

    it("without who reports them, what was done and when", async () => {
      const { client, namespace } = await sandbox(cluster());
      const regarding = { apiVersion: "v1", kind: "ConfigMap", namespace, name: "a" };
      const whole = newEvent(namespace, { regarding, eventTime: "2024-05-01T10:00:00.000000Z" });
      for (const field of ["reportingController", "reportingInstance", "action", "reason", "eventTime"]) {
        const { [field]: _left, ...rest } = whole;
        const created = client.create(events, {
          ...rest,
          apiVersion: whole.apiVersion,
          kind: whole.kind,
          metadata: whole.metadata,
        });
        await expect(created, `without ${field}`).rejects.toMatchObject({ code: "Invalid" });
      }
    });
  });
}

function newEvent(namespace: string, fields: Record<string, unknown>): KubeObject {
  return {
    apiVersion: "events.k8s.io/v1",
    kind: "Event",
    metadata: { namespace, name: "e" },
    reportingController: "example.com/contract",
    reportingInstance: "contract-1",
    action: "Test",
    reason: "Happened",
    type: "Normal",
    note: "It happened.",
    ...fields,
  };
}
