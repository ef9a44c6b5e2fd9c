import { requestToken, resources, type KubeClient, type KubeObject } from "@bowline/kube";
import { describe, expect, it } from "vitest";

import { sandbox } from "../sandbox.ts";
import { minorVersion } from "../served-resource.ts";
import type { RunningTarget } from "../target.ts";

const { configMaps, serviceAccounts } = resources;

export function authenticationContract(cluster: () => RunningTarget): void {
  describe("tokens", () => {
    it("is unknown with a token nobody gave out", async () => {
      const stranger = cluster().clientWithToken("not-a-token");
      await expect(stranger.list(configMaps, { namespace: "default" })).rejects.toMatchObject({
        code: "Unauthorized",
        details: { httpStatus: 401, reason: "Unauthorized" },
      });
    });

    it("can be asked for by a token review", async () => {
      const { admin, unprivileged } = cluster();
      expect(await reviewToken(admin, unprivileged.token)).toMatchObject({
        status: { authenticated: true, user: { username: unprivileged.username } },
      });
      expect(await reviewToken(admin, "not-a-token")).not.toHaveProperty("status.authenticated", true);
    });

    it("is told by the token of a ServiceAccount", async () => {
      const { client, namespace } = await sandbox(cluster());
      await client.create(serviceAccounts, serviceAccount(namespace, "robot"));
      const { token, expirationTimestamp } = await requestToken(client, {
        namespace,
        name: "robot",
        expirationSeconds: 900,
      });
      const minutes = (Date.parse(expirationTimestamp) - Date.now()) / 60_000;
      expect(minutes).toBeGreaterThan(13);
      expect(minutes).toBeLessThan(16);
      expect(await reviewToken(client, token)).toMatchObject({
        status: {
          authenticated: true,
          user: {
            username: `system:serviceaccount:${namespace}:robot`,
            groups: expect.arrayContaining(["system:serviceaccounts", `system:serviceaccounts:${namespace}`]),
          },
        },
      });
      await expect(cluster().clientWithToken(token).list(configMaps, { namespace })).rejects.toMatchObject({
        code: "Forbidden",
        message: expect.stringContaining(
          `User "system:serviceaccount:${namespace}:robot" cannot list resource "configmaps"`,
        ),
      });
    });

    it("ends with the ServiceAccount", async () => {
      const { client, namespace } = await sandbox(cluster());
      await client.create(serviceAccounts, serviceAccount(namespace, "robot"));
      const { token } = await requestToken(client, { namespace, name: "robot" });
      await client.delete(serviceAccounts, { namespace, name: "robot" });
      const robot = cluster().clientWithToken(token);
      // A real server may remember the account for some seconds.
      const answer = (): Promise<unknown> =>
        robot.list(configMaps, { namespace }).catch((error: unknown) => error);
      await expect.poll(answer).toMatchObject({ code: "Unauthorized" });
    });

    it("gives no token for an account that does not exist", async () => {
      const { client, namespace } = await sandbox(cluster());
      await expect(requestToken(client, { namespace, name: "robot" })).rejects.toMatchObject({
        code: "NotFound",
      });
    });
  });

  describe("impersonation", () => {
    it("lets the administrator act as somebody else", async () => {
      const { client, namespace } = await sandbox(cluster());
      const listAs = (headers: Record<string, string>): Promise<object> =>
        client.requestJson({ method: "GET", path: `/api/v1/namespaces/${namespace}/configmaps`, headers });
      await expect(listAs({ "impersonate-user": "auditor" })).rejects.toMatchObject({
        code: "Forbidden",
        message: expect.stringContaining('User "auditor" cannot list resource "configmaps"'),
      });
      expect(
        await listAs({ "impersonate-user": "auditor", "impersonate-group": "system:masters" }),
      ).toMatchObject({
        kind: "ConfigMapList",
      });
    });

    it("is refused to others", async () => {
      const { namespace } = await sandbox(cluster());
      const path = `/api/v1/namespaces/${namespace}/configmaps`;
      const headers = { "impersonate-user": "auditor" };
      const guest = cluster().clientWithToken(cluster().unprivileged.token);
      // Newer servers ask for a right to this very request first, and name that one.
      const right =
        (await minorVersion(guest)) >= 36
          ? 'impersonate-on:user-info:list resource "configmaps"'
          : 'impersonate resource "users"';
      await expect(guest.requestJson({ method: "GET", path, headers })).rejects.toMatchObject({
        code: "Forbidden",
        message: expect.stringContaining(`cannot ${right}`),
      });
    });
  });
}

function serviceAccount(namespace: string, name: string): KubeObject {
  return { apiVersion: "v1", kind: "ServiceAccount", metadata: { namespace, name } };
}

function reviewToken(client: KubeClient, token: string): Promise<object> {
  return client.requestJson({
    method: "POST",
    path: "/apis/authentication.k8s.io/v1/tokenreviews",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec: { token } }),
  });
}
