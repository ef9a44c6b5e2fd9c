import { requestToken, resources, type KubeClient, type KubeObject } from "@bowline/kube";
import { describe, expect, it } from "vitest";

import { configMap } from "../objects.ts";
import { sandbox, uniqueName, type Sandbox } from "../sandbox.ts";
import type { RunningTarget } from "../target.ts";

const {
  clusterRoleBindings,
  clusterRoles,
  configMaps,
  roleBindings,
  roles,
  selfSubjectAccessReviews,
  serviceAccounts,
  subjectAccessReviews,
} = resources;

const rbac = "rbac.authorization.k8s.io/v1";

export function authorizationContract(cluster: () => RunningTarget): void {
  describe("what somebody may do", () => {
    it("is nothing by default, and the refusal says what was missing", async () => {
      const { namespace } = await sandbox(cluster());
      const { username } = cluster().unprivileged;
      const guest = guestOf(cluster());
      await expect(guest.list(configMaps, { namespace })).rejects.toMatchObject({
        code: "Forbidden",
        message: expect.stringContaining(
          `configmaps is forbidden: User "${username}" cannot list resource "configmaps" in API group "" in the namespace "${namespace}"`,
        ),
        details: { httpStatus: 403, reason: "Forbidden", kind: "configmaps" },
      });
      await expect(guest.get(configMaps, { namespace, name: "a" })).rejects.toMatchObject({
        message: expect.stringContaining(
          `configmaps "a" is forbidden: User "${username}" cannot get resource`,
        ),
      });
      await expect(guest.list(clusterRoles)).rejects.toMatchObject({
        message: expect.stringContaining(
          'cannot list resource "clusterroles" in API group "rbac.authorization.k8s.io" at the cluster scope',
        ),
      });
    });

    it("includes looking around", async () => {
      const guest = guestOf(cluster());
      expect(await guest.requestJson({ method: "GET", path: "/version" })).toHaveProperty("gitVersion");
      expect(await guest.requestJson({ method: "GET", path: "/apis" })).toMatchObject({
        kind: "APIGroupList",
      });
    });

    it("grows by a Role and a RoleBinding, in that namespace, for those verbs", async () => {
      const space = await sandbox(cluster());
      const { namespace } = space;
      const guest = guestOf(cluster());
      await grant(space, cluster().unprivileged.username, ["get", "list"]);
      await untilAllowed(guest, { namespace, verb: "list" });
      await guest.list(configMaps, { namespace });
      await expect(guest.create(configMaps, configMap({ namespace, name: "a" }))).rejects.toMatchObject({
        code: "Forbidden",
        message: expect.stringContaining("cannot create resource"),
      });
      await expect(guest.list(configMaps, { namespace: "default" })).rejects.toMatchObject({
        code: "Forbidden",
      });
    });

    it("can be one object", async () => {
      const space = await sandbox(cluster());
      const { namespace } = space;
      const guest = guestOf(cluster());
      await space.client.create(configMaps, configMap({ namespace, name: "a" }));
      await grant(space, cluster().unprivileged.username, ["get"], ["a"]);
      await untilAllowed(guest, { namespace, verb: "get", name: "a" });
      await guest.get(configMaps, { namespace, name: "a" });
      await expect(guest.get(configMaps, { namespace, name: "b" })).rejects.toMatchObject({
        code: "Forbidden",
      });
    });

    it("can hold everywhere, and for a whole group of users", async () => {
      const { client, namespace } = await sandbox(cluster());
      const name = uniqueName("contract");
      await client.create(serviceAccounts, serviceAccount(namespace, "robot"));
      const rules = [{ apiGroups: ["*"], resources: ["*"], verbs: ["list"] }];
      await client.create(clusterRoles, { apiVersion: rbac, kind: "ClusterRole", metadata: { name }, rules });
      await client.create(clusterRoleBindings, {
        apiVersion: rbac,
        kind: "ClusterRoleBinding",
        metadata: { name },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
        subjects: [
          {
            apiGroup: "rbac.authorization.k8s.io",
            kind: "Group",
            name: `system:serviceaccounts:${namespace}`,
          },
        ],
      });
      const { token } = await requestToken(client, { namespace, name: "robot" });
      const robot = cluster().clientWithToken(token);
      await untilAllowed(robot, { verb: "list" });
      expect(await robot.list(configMaps)).toMatchObject({ kind: "ConfigMapList" });
    });

    it("cannot be raised by oneself", async () => {
      const space = await sandbox(cluster());
      const { client, namespace } = space;
      const { username } = cluster().unprivileged;
      const rules = [{ apiGroups: ["rbac.authorization.k8s.io"], resources: ["roles"], verbs: ["create"] }];
      await client.create(roles, {
        apiVersion: rbac,
        kind: "Role",
        metadata: { namespace, name: "maker" },
        rules,
      });
      await client.create(roleBindings, binding(namespace, "maker", username));
      const guest = guestOf(cluster());
      await untilAllowed(guest, {
        namespace,
        verb: "create",
        group: "rbac.authorization.k8s.io",
        resource: "roles",
      });
      const more = [{ apiGroups: [""], resources: ["secrets"], verbs: ["get"] }];
      const raised = guest.create(roles, {
        apiVersion: rbac,
        kind: "Role",
        metadata: { namespace, name: "raised" },
        rules: more,
      });
      await expect(raised).rejects.toMatchObject({
        code: "Forbidden",
        message: expect.stringContaining("is attempting to grant RBAC permissions not currently held"),
      });
    });
  });

  describe("access reviews", () => {
    it("answer for oneself and for others", async () => {
      const space = await sandbox(cluster());
      const { client, namespace } = space;
      const { username } = cluster().unprivileged;
      const resourceAttributes = { namespace, verb: "get", resource: "configmaps" };
      const ask = (user: string): Promise<KubeObject> =>
        client.create(subjectAccessReviews, {
          apiVersion: "authorization.k8s.io/v1",
          kind: "SubjectAccessReview",
          metadata: {},
          spec: { user, resourceAttributes },
        });
      expect(await ask(username)).toMatchObject({ status: { allowed: false } });
      expect(await review(client, { namespace, verb: "delete" })).toMatchObject({
        status: { allowed: true },
      });
      await grant(space, username, ["get"]);
      await untilAllowed(guestOf(cluster()), { namespace, verb: "get" });
      expect(await ask(username)).toMatchObject({
        status: { allowed: true, reason: expect.stringContaining("RBAC: allowed by RoleBinding") },
      });
    });

    it("may be asked by anybody about themselves alone", async () => {
      const { namespace } = await sandbox(cluster());
      const guest = guestOf(cluster());
      expect(await review(guest, { namespace, verb: "get" })).toMatchObject({ status: { allowed: false } });
      const other = guest.create(subjectAccessReviews, {
        apiVersion: "authorization.k8s.io/v1",
        kind: "SubjectAccessReview",
        metadata: {},
        spec: { user: "somebody", resourceAttributes: { verb: "get", resource: "pods" } },
      });
      await expect(other).rejects.toMatchObject({ code: "Forbidden" });
    });
  });
}

function guestOf(cluster: RunningTarget): KubeClient {
  return cluster.clientWithToken(cluster.unprivileged.token);
}

function serviceAccount(namespace: string, name: string): KubeObject {
  return { apiVersion: "v1", kind: "ServiceAccount", metadata: { namespace, name } };
}

function binding(namespace: string, role: string, user: string): KubeObject {
  return {
    apiVersion: rbac,
    kind: "RoleBinding",
    metadata: { namespace, name: role },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: role },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: user }],
  };
}

async function grant(
  { client, namespace }: Sandbox,
  user: string,
  verbs: string[],
  resourceNames?: string[],
): Promise<void> {
  const rule = {
    apiGroups: [""],
    resources: ["configmaps"],
    verbs,
    ...(resourceNames === undefined ? {} : { resourceNames }),
  };
  await client.create(roles, {
    apiVersion: rbac,
    kind: "Role",
    metadata: { namespace, name: "reader" },
    rules: [rule],
  });
  await client.create(roleBindings, binding(namespace, "reader", user));
}

interface Access {
  readonly namespace?: string;
  readonly verb: string;
  readonly group?: string;
  readonly resource?: string;
  readonly name?: string;
}

function review(client: KubeClient, access: Access): Promise<KubeObject> {
  return client.create(selfSubjectAccessReviews, {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SelfSubjectAccessReview",
    metadata: {},
    spec: { resourceAttributes: { resource: "configmaps", ...access } },
  });
}

/** Real servers learn of a new binding through a watch of their own, a moment later. */
async function untilAllowed(client: KubeClient, access: Access): Promise<void> {
  await expect.poll(() => review(client, access)).toMatchObject({ status: { allowed: true } });
}
