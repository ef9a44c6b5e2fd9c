import { resources } from "@bowline/kube";
import { describe, expect, it } from "vitest";

import { configMap, deployment, pod } from "../objects.ts";
import { sandbox, uniqueName } from "../sandbox.ts";
import type { RunningTarget } from "../target.ts";

const { configMaps, deployments, pods, secrets } = resources;

export function validationContract(cluster: () => RunningTarget): void {
  describe("create refused", () => {
    it("names the field of a bad name", async () => {
      const { client, namespace } = await sandbox(cluster());
      await expect(
        client.create(configMaps, configMap({ namespace, name: "Not_A_Name" })),
      ).rejects.toMatchObject({
        code: "Invalid",
        message: expect.stringContaining(
          'ConfigMap "Not_A_Name" is invalid: metadata.name: Invalid value: "Not_A_Name"',
        ),
        details: {
          httpStatus: 422,
          reason: "Invalid",
          kind: "ConfigMap",
          causes: [{ reason: "FieldValueInvalid", field: "metadata.name" }],
        },
      });
    });

    it("needs a name or a generateName", async () => {
      const { client, namespace } = await sandbox(cluster());
      await expect(client.create(configMaps, configMap({ namespace }))).rejects.toMatchObject({
        code: "Invalid",
        details: {
          causes: [
            {
              reason: "FieldValueRequired",
              field: "metadata.name",
              message: "Required value: name or generateName is required",
            },
          ],
        },
      });
    });

    it("checks labels", async () => {
      const { client, namespace } = await sandbox(cluster());
      const labelled = configMap({ namespace, name: "a", labels: { app: "no spaces allowed" } });
      await expect(client.create(configMaps, labelled)).rejects.toMatchObject({
        code: "Invalid",
        details: { causes: [{ reason: "FieldValueInvalid", field: "metadata.labels" }] },
      });
    });

    it("needs the namespace to exist", async () => {
      const { client } = await sandbox(cluster());
      const missing = uniqueName("missing");
      await expect(
        client.create(configMaps, configMap({ namespace: missing, name: "a" })),
      ).rejects.toMatchObject({
        code: "NotFound",
        details: { kind: "namespaces", name: missing },
      });
    });

    it("needs the namespace of the path and of the object to agree", async () => {
      const { client, namespace } = await sandbox(cluster());
      const elsewhere = client.requestJson({
        method: "POST",
        path: `/api/v1/namespaces/${namespace}/configmaps`,
        headers: { "content-type": "application/json" },
        body: JSON.stringify(configMap({ namespace: "default", name: "a" })),
      });
      await expect(elsewhere).rejects.toMatchObject({
        code: "BadRequest",
        message: expect.stringContaining("the namespace of the provided object does not match"),
      });
    });

    it("takes no resourceVersion", async () => {
      const { client, namespace } = await sandbox(cluster());
      const versioned = configMap({ namespace, name: "a", resourceVersion: "1" });
      await expect(client.create(configMaps, versioned)).rejects.toThrow(
        "resourceVersion should not be set on objects to be created",
      );
    });

    it.each([
      ["text that is not JSON", "{"],
      [
        "a value of another type",
        JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { a: 1 } }),
      ],
      [
        "an object of another kind",
        JSON.stringify({ apiVersion: "v1", kind: "Secret", metadata: { name: "a" } }),
      ],
    ])("takes no %s", async (_, body) => {
      const { client, namespace } = await sandbox(cluster());
      const path = `/api/v1/namespaces/${namespace}/configmaps`;
      const posted = client.requestJson({
        method: "POST",
        path,
        headers: { "content-type": "application/json" },
        body,
      });
      await expect(posted).rejects.toMatchObject({ code: "BadRequest", details: { httpStatus: 400 } });
    });

    it("lists every missing field of a Deployment", async () => {
      const { client, namespace } = await sandbox(cluster());
      const empty = {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { namespace, name: "a" },
        spec: { template: {} },
      };
      await expect(client.create(deployments, empty)).rejects.toMatchObject({
        code: "Invalid",
        details: {
          kind: "Deployment",
          causes: expect.arrayContaining([
            { reason: "FieldValueRequired", field: "spec.selector", message: "Required value" },
            {
              reason: "FieldValueRequired",
              field: "spec.template.spec.containers",
              message: "Required value",
            },
          ]),
        },
      });
    });
  });

  describe("immutable fields", () => {
    it("keeps the selector of a Deployment and the type of a Secret", async () => {
      const { client, namespace } = await sandbox(cluster());
      await client.create(deployments, deployment({ namespace, name: "a" }, 0));
      const labels = { app: "b" };
      const moved = { spec: { selector: { matchLabels: labels }, template: { metadata: { labels } } } };
      await expect(
        client.patch(deployments, moved, { namespace, name: "a", type: "merge" }),
      ).rejects.toMatchObject({
        code: "Invalid",
        message: expect.stringContaining("field is immutable"),
        details: { causes: [{ reason: "FieldValueInvalid", field: "spec.selector" }] },
      });
      await client.create(secrets, { apiVersion: "v1", kind: "Secret", metadata: { namespace, name: "a" } });
      await expect(
        client.patch(secrets, { type: "other" }, { namespace, name: "a", type: "merge" }),
      ).rejects.toMatchObject({ code: "Invalid", details: { causes: [{ field: "type" }] } });
    });

    it("keeps a ConfigMap that says so", async () => {
      const { client, namespace } = await sandbox(cluster());
      const fixed = await client.create(configMaps, {
        ...configMap({ namespace, name: "a" }, { a: "1" }),
        immutable: true,
      });
      await expect(client.update(configMaps, { ...fixed, data: { a: "2" } })).rejects.toMatchObject({
        code: "Invalid",
        details: { causes: [{ reason: "FieldValueForbidden", field: "data" }] },
      });
    });

    it("changes the image of a pod and little else", async () => {
      const { client, namespace } = await sandbox(cluster());
      const target = { namespace, name: "a", type: "strategic" } as const;
      await client.create(pods, pod({ namespace, name: "a" }));
      const image = { spec: { containers: [{ name: "web", image: "registry.example/web:2" }] } };
      expect(await client.patch(pods, image, target)).toMatchObject(image);
      await expect(client.patch(pods, { spec: { restartPolicy: "Never" } }, target)).rejects.toMatchObject({
        code: "Invalid",
        message: expect.stringContaining("pod updates may not change fields other than"),
        details: { causes: [{ reason: "FieldValueForbidden", field: "spec" }] },
      });
    });
  });
}
