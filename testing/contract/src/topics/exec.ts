import { resources } from "@bowline/kube";
import { expect, it } from "vitest";

import { pod } from "../objects.ts";
import { refusalOf, type SocketOptions } from "../open-socket.ts";
import { sandbox, uniqueName, type Sandbox } from "../sandbox.ts";
import type { RunningTarget } from "../target.ts";

const { pods } = resources;
const streams = "stdin=true&stdout=true&stderr=true&command=true";
const asBrowser = { protocols: ["v5.channel.k8s.io", "v4.channel.k8s.io"] };
const asksToCreateSince = 35;

/** What an API server says about commands in containers before any kubelet is asked. */
export function execContract(cluster: () => RunningTarget): void {
  const execOf = (namespace: string, name: string, query = streams): string =>
    `/api/v1/namespaces/${namespace}/pods/${name}/exec?${query}`;
  const refused = (path: string, options: SocketOptions = asBrowser): Promise<unknown> =>
    refusalOf(cluster(), path, options);
  const bad = (message: string): unknown =>
    expect.objectContaining({
      status: 400,
      body: expect.objectContaining({ reason: "BadRequest", message }),
    });

  it("in a pod that is not there is refused", async () => {
    const { namespace } = await sandbox(cluster());
    const name = uniqueName("none");
    expect(await refused(execOf(namespace, name))).toMatchObject({
      status: 404,
      body: { kind: "Status", reason: "NotFound", message: `pods "${name}" not found` },
    });
  });

  it("in a pod that is on no node is refused", async () => {
    const { namespace } = await waitingPod();
    expect(await refused(execOf(namespace, "a"))).toEqual(bad("pod a does not have a host assigned"));
  });

  it("needs a container that the pod has, and its name where there are several", async () => {
    const { client, namespace } = await waitingPod();
    expect(await refused(execOf(namespace, "a", `${streams}&container=other`))).toEqual(
      bad("container other is not valid for pod a"),
    );
    const containers = ["web", "side"].map((name) => ({ name, image: "registry.example/web:1" }));
    await client.create(pods, pod({ namespace, name: "b" }, { containers }));
    expect(await refused(execOf(namespace, "b"))).toEqual(
      bad("a container name must be specified for pod b, choose one of: [web side]"),
    );
  });

  it("is for those who may, by each verb that the server asks for", async () => {
    const { client, namespace } = await waitingPod();
    const { unprivileged } = cluster();
    const asGuest = { ...asBrowser, token: unprivileged.token };
    const forbiddenAs = (message: string): unknown =>
      expect.objectContaining({
        status: 403,
        body: expect.objectContaining({ reason: "Forbidden", message: expect.stringContaining(message) }),
      });
    expect(await refused(execOf(namespace, "a"), asGuest)).toEqual(
      forbiddenAs(
        `User "${unprivileged.username}" cannot get resource "pods/exec" in API group "" in the namespace "${namespace}"`,
      ),
    );
    await allow({ client, namespace }, unprivileged.username, ["get"]);
    const { minor } = await client.requestJson<{ minor: string }>({ method: "GET", path: "/version" });
    const unscheduled = bad("pod a does not have a host assigned");
    const withGet =
      Number.parseInt(minor, 10) >= asksToCreateSince ? forbiddenAs('pods "a" is forbidden: ') : unscheduled;
    // What was bound a moment ago may take a moment to count.
    await expect.poll(() => refused(execOf(namespace, "a"), asGuest)).toEqual(withGet);
    await allow({ client, namespace }, unprivileged.username, ["get", "create"]);
    await expect.poll(() => refused(execOf(namespace, "a"), asGuest)).toEqual(unscheduled);
  });

  async function waitingPod(): Promise<Sandbox> {
    const space = await sandbox(cluster());
    await space.client.create(pods, pod({ namespace: space.namespace, name: "a" }));
    return space;
  }
}

async function allow({ client, namespace }: Sandbox, username: string, verbs: string[]): Promise<void> {
  const name = `exec-${verbs.join("-")}`;
  await client.create(resources.roles, {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "Role",
    metadata: { namespace, name },
    rules: [{ apiGroups: [""], resources: ["pods/exec"], verbs }],
  });
  await client.create(resources.roleBindings, {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "RoleBinding",
    metadata: { namespace, name },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: username }],
  });
}
