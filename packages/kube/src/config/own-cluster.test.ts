import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { ManualClock } from "@bowline/core/testing";
import { afterEach, beforeEach, expect, it } from "vitest";
import { TestAuthority } from "@bowline/test-services/certificates";
import { sendJson, TestServer, textOfBody } from "../testing/test-server.ts";
import { connect } from "../transport/connect.ts";
import { chooseKubeconfig, inClusterConnection } from "./own-cluster.ts";

let directory: string;
const cleanups: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "serviceaccount-"));
  cleanups.push(() => rm(directory, { recursive: true }));
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** As the kubelet does it: a new file takes the place of the old one. */
async function rotateToken(token: string): Promise<void> {
  await writeFile(join(directory, "..token"), `${token}\n`);
  await rename(join(directory, "..token"), join(directory, "token"));
}

it("talks to the API server as the ServiceAccount, and follows its token as it rotates", async () => {
  const authority = await TestAuthority.create();
  const tls = await authority.issue({ commonName: "api" });
  let accepted = "one";
  const seen: string[] = [];
  const server = await TestServer.start(
    (request, response) => {
      const token = request.headers.authorization?.slice("Bearer ".length) ?? "";
      seen.push(token);
      sendJson(response, token === accepted ? 200 : 401, token);
    },
    { tls },
  );
  cleanups.push(() => server.close());
  await rotateToken("one");
  await writeFile(join(directory, "namespace"), "shop\n");
  await writeFile(join(directory, "ca.crt"), authority.cert);

  const env = { KUBERNETES_SERVICE_HOST: "127.0.0.1", KUBERNETES_SERVICE_PORT: String(server.port) };
  const connection = await inClusterConnection({ env, directory });
  expect(connection).toMatchObject({ name: "in-cluster", namespace: "shop", server: server.url });

  const clock = new ManualClock();
  const transport = connect(connection, { clock });
  cleanups.push(() => transport.close());
  const ask = async (): Promise<string> => textOfBody(await transport.request({ method: "GET", path: "/" }));
  expect(await ask()).toBe('"one"');

  // By age: the old token still works for a while, so nobody notices.
  await rotateToken("two");
  await clock.advance(10_000);
  accepted = "two";
  expect(await ask()).toBe('"two"');

  // By need: the server refuses the old one before the file was read again.
  await rotateToken("three");
  accepted = "three";
  expect(await ask()).toBe('"three"');
  expect(seen).toEqual(["one", "two", "two", "three"]);

  // A file that is gone for a moment does no harm.
  await rm(join(directory, "token"));
  await clock.advance(10_000);
  expect(await ask()).toBe('"three"');
});

it("writes an IPv6 address as a URL needs it", async () => {
  await rotateToken("x");
  await writeFile(join(directory, "namespace"), "default");
  const env = { KUBERNETES_SERVICE_HOST: "fd00::1", KUBERNETES_SERVICE_PORT: "443" };
  expect((await inClusterConnection({ env, directory })).server).toBe("https://[fd00::1]:443");
});

it("says so outside a cluster and without a mounted ServiceAccount", async () => {
  await expect(inClusterConnection({ env: {} })).rejects.toMatchObject({
    code: "KubeconfigUnreadable",
    message: expect.stringContaining("does not run in a pod"),
  });
  const env = { KUBERNETES_SERVICE_HOST: "10.0.0.1", KUBERNETES_SERVICE_PORT: "443" };
  await expect(inClusterConnection({ env, directory })).rejects.toMatchObject({
    code: "KubeconfigUnreadable",
    message: `Cannot read the ServiceAccount token ${join(directory, "token")}: it does not exist.`,
  });
});

it("takes the list that was given, or the file in the home directory", () => {
  const choose = (kubeconfig: string | undefined, context?: string, pod: object = {}) =>
    chooseKubeconfig({ kubeconfig, context }, { HOME: "/home/deputy", ...pod });
  const usual = { paths: ["/home/deputy/.kube/config"], context: undefined };
  expect(choose(undefined)).toEqual(usual);
  expect(choose("")).toEqual(usual);
  const listed = ["/a", "", "/b", "/a"].join(delimiter);
  expect(choose(listed)).toEqual({ paths: ["/a", "/b"], context: undefined });
  const pod = { KUBERNETES_SERVICE_HOST: "10.0.0.1" };
  expect(choose(undefined, undefined, pod)).toBeUndefined();
  expect(choose(undefined, "edge", pod)).toEqual({ ...usual, context: "edge" });
  expect(choose("/a", undefined, pod)).toEqual({ paths: ["/a"], context: undefined });
});
