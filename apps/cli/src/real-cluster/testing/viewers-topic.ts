import { expect, test } from "vitest";

import { askCluster } from "./ask-cluster.ts";
import type { Topic } from "./topic.ts";

/** A grant that is worth the cluster's own role `view`, and no more. */
export const viewersTopic: Topic = (stage) => {
  test("a viewer reads", async () => {
    const { viewer } = stage();
    expect(await viewer.run("get", "pod/box", "-o", "name")).toBe("pod/box\n");
    expect(await viewer.run("logs", "box", "--tail=1")).toBeTypeOf("string");
  });

  test.each([
    ["delete", ["delete", "pod/box"], 'cannot delete resource "pods"'],
    ["create", ["create", "configmap", "new"], 'cannot create resource "configmaps"'],
    ["exec", ["exec", "box", "--", "true"], 'cannot create resource "pods/exec"'],
    ["port-forward", ["port-forward", "pod/box", ":8080"], 'cannot create resource "pods/portforward"'],
    ["secrets", ["get", "secrets", "-A"], 'cannot list resource "secrets"'],
  ])("the cluster itself denies a viewer: %s", async (_, args, reason) => {
    const { code, error } = await stage().viewer.tried(args);
    expect(code).toBe(1);
    expect(error).toContain(`User "viewer" ${reason}`);
  });

  test("what the cluster denies is told from what the server denies", async () => {
    const token = stage().tokens.viewer;
    const path = "/api/v1/namespaces/default/pods/box";
    const byCluster = await askCluster(stage(), { token, method: "DELETE", path });
    expect(byCluster).toMatchObject({
      status: 403,
      body: { kind: "Status", reason: "Forbidden", details: { name: "box", kind: "pods" } },
    });
    expect(byCluster.headers).not.toHaveProperty("x-bowline-error-from");
    const headers = { "impersonate-user": "operator" };
    const byServer = await askCluster(stage(), { token, method: "DELETE", path, headers });
    expect(byServer).toMatchObject({ status: 403, headers: { "x-bowline-error-from": "server" } });
  });
};
