import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadKubeconfig } from "./load-kubeconfig.ts";

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "kubeconfig-"));
});

afterEach(() => rm(directory, { recursive: true }));

async function write(name: string, text: string): Promise<string> {
  const path = join(directory, name);
  await mkdir(join(path, ".."), { recursive: true });
  await writeFile(path, text);
  return path;
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const pem = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";

function kubeconfig(parts: { cluster?: string; user?: string; context?: string } = {}): string {
  return [
    "apiVersion: v1",
    "kind: Config",
    "current-context: dev",
    "contexts:",
    `- {name: dev, context: {cluster: c, user: u, ${parts.context ?? ""}}}`,
    "clusters:",
    `- {name: c, cluster: {server: "https://api.example:6443", ${parts.cluster ?? ""}}}`,
    "users:",
    `- {name: u, user: {${parts.user ?? ""}}}`,
  ].join("\n");
}

async function load(parts: Parameters<typeof kubeconfig>[0]): ReturnType<typeof loadKubeconfig> {
  return loadKubeconfig({ paths: [await write("config", kubeconfig(parts))] });
}

describe("one file", () => {
  it("says how to reach the cluster of the current context", async () => {
    expect(await load({ context: "namespace: shop", user: "token: abc" })).toEqual({
      name: "dev",
      user: "u",
      server: "https://api.example:6443",
      namespace: "shop",
      insecureSkipVerify: false,
      auth: { type: "token", token: "abc" },
    });
  });

  it("reads inline certificates, and prefers them to files", async () => {
    const connection = await load({
      cluster: `certificate-authority-data: ${base64(pem)}, certificate-authority: nowhere.pem`,
      user: `client-certificate-data: ${base64(pem)}, client-key-data: ${base64(pem)}`,
    });
    expect(connection.ca).toEqual({ pem });
    expect(connection.clientCertificate).toEqual({ cert: { pem }, key: { pem } });
  });

  it("finds files beside the kubeconfig", async () => {
    await write("pki/ca.pem", pem);
    await write("pki/me.pem", pem);
    const connection = await load({
      cluster: "certificate-authority: pki/ca.pem",
      user: "client-certificate: ./pki/me.pem, client-key: pki/me.pem, tokenFile: pki/token",
    });
    expect(connection.ca).toEqual({ file: join(directory, "pki/ca.pem") });
    expect(connection.clientCertificate?.cert).toEqual({ file: join(directory, "pki/me.pem") });
    expect(connection.auth).toEqual({ type: "tokenFile", file: join(directory, "pki/token") });
  });

  it("reads the other settings of cluster and user", async () => {
    const connection = await load({
      cluster:
        'insecure-skip-tls-verify: true, tls-server-name: api.internal, proxy-url: "http://proxy:3128"',
      user: "username: deputy, password: pw, as: auditor, as-groups: [dev, ops], as-uid: '7', as-user-extra: {team: [a]}",
    });
    expect(connection).toMatchObject({
      insecureSkipVerify: true,
      tlsServerName: "api.internal",
      proxyUrl: "http://proxy:3128",
      auth: { type: "basic", username: "deputy", password: "pw" },
      impersonate: { user: "auditor", groups: ["dev", "ops"], uid: "7", extra: { team: ["a"] } },
    });
  });

  it("reads an exec plugin, its path beside the kubeconfig and the cluster's extension for it", async () => {
    const connection = await load({
      cluster:
        "extensions: [{name: client.authentication.k8s.io/exec, extension: {audience: x}}, {name: other, extension: 1}]",
      user:
        "exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: ./bin/login, args: [token, -q], " +
        "env: [{name: PROFILE, value: dev}], provideClusterInfo: true, installHint: get it, interactiveMode: Never}",
    });
    expect(connection.auth).toEqual({
      type: "exec",
      plugin: {
        apiVersion: "client.authentication.k8s.io/v1beta1",
        command: join(directory, "bin/login"),
        args: ["token", "-q"],
        env: { PROFILE: "dev" },
        provideClusterInfo: true,
        installHint: "get it",
        interactiveMode: "Never",
        clusterConfig: { audience: "x" },
      },
    });
  });
});

describe("several files", () => {
  it("merges as kubectl does: the first to name something wins, entries come from all", async () => {
    const first = await write(
      "a/config",
      [
        "contexts:",
        "- {name: one, context: {cluster: shared, user: first}}",
        "users: [{name: first, user: {tokenFile: token}}]",
      ].join("\n"),
    );
    const second = await write(
      "b/config",
      [
        "current-context: one",
        "contexts: [{name: one, context: {cluster: other}}, {name: two, context: {cluster: shared}}]",
        'clusters: [{name: shared, cluster: {server: "https://shared"}}]',
        "users: [{name: first, user: {token: not-this}}]",
      ].join("\n"),
    );
    const third = await write(
      "c/config",
      "current-context: two\nclusters: [{name: shared, cluster: {server: no}}]",
    );
    const paths = [first, join(directory, "missing"), second, third];

    expect(await loadKubeconfig({ paths })).toMatchObject({
      name: "one",
      server: "https://shared",
      auth: { type: "tokenFile", file: join(directory, "a/token") },
    });
    expect(await loadKubeconfig({ paths, context: "two" })).toMatchObject({
      name: "two",
      auth: { type: "none" },
    });
  });
});

describe("what cannot be used is told in one sentence with its place", () => {
  it("a file that is not there", async () => {
    const path = join(directory, "nowhere");
    await expect(loadKubeconfig({ paths: [path] })).rejects.toMatchObject({
      code: "KubeconfigUnreadable",
      message: `Cannot read the kubeconfig ${path}: it does not exist.`,
    });
    await expect(loadKubeconfig({ paths: [path, `${path}2`] })).rejects.toMatchObject({
      code: "KubeconfigUnreadable",
      message: `There is no kubeconfig: none of ${path}, ${path}2 exists.`,
    });
  });

  it("a directory", async () => {
    await expect(loadKubeconfig({ paths: [directory] })).rejects.toMatchObject({
      code: "KubeconfigUnreadable",
      message: expect.stringContaining(directory),
    });
  });

  it("something that is not YAML", async () => {
    const path = await write("config", "clusters: [\n  {name: 'x\n");
    await expect(loadKubeconfig({ paths: [path] })).rejects.toMatchObject({
      code: "KubeconfigInvalid",
      message: expect.stringContaining(`${path} cannot be used: the document is not valid YAML (line`),
    });
  });

  it("aliases that would expand to gigabytes", async () => {
    const levels = Array.from({ length: 12 }, (_, level) =>
      level === 0 ? "a0: &a0 [x,x,x,x,x,x,x,x]" : `a${level}: &a${level} [${`*a${level - 1},`.repeat(8)}]`,
    );
    const path = await write("config", levels.join("\n"));
    await expect(loadKubeconfig({ paths: [path] })).rejects.toMatchObject({ code: "KubeconfigInvalid" });
  });

  it("an unknown context, with the ones there are", async () => {
    const path = await write("config", kubeconfig());
    await expect(loadKubeconfig({ paths: [path], context: "prod" })).rejects.toMatchObject({
      code: "KubeContextUnknown",
      message: 'There is no context "prod"; there are: dev.',
    });
    const empty = await write("empty", "");
    await expect(loadKubeconfig({ paths: [empty] })).rejects.toMatchObject({ code: "KubeContextUnknown" });
  });

  it.each([
    ["a number for a token", { user: "token: 12345" }, "users[name=u].user.token must be a string"],
    [
      "data that is not PEM",
      { cluster: "certificate-authority-data: AAAA" },
      "clusters[name=c].cluster.certificate-authority-data is not base64 of PEM",
    ],
    [
      "a certificate without its key",
      { user: `client-certificate-data: ${base64(pem)}` },
      "users[name=u].user has a client-certificate but no client-key",
    ],
    [
      "an outdated exec version",
      { user: "exec: {apiVersion: client.authentication.k8s.io/v1alpha1, command: x}" },
      'users[name=u].user.exec.apiVersion is "client.authentication.k8s.io/v1alpha1"',
    ],
    [
      "an auth provider",
      { user: "auth-provider: {name: gcp}" },
      "users[name=u].user.auth-provider is no longer",
    ],
    [
      "groups without a user",
      { user: "as-groups: [a]" },
      "users[name=u].user impersonates groups without a user",
    ],
    [
      "a CA beside insecure",
      { cluster: `insecure-skip-tls-verify: true, certificate-authority: x` },
      "insecure",
    ],
    [
      "a proxy of another kind",
      { cluster: 'proxy-url: "socks5://x"' },
      "clusters[name=c].cluster.proxy-url must",
    ],
  ])("%s", async (_case, parts, place) => {
    const path = await write("config", kubeconfig(parts));
    await expect(loadKubeconfig({ paths: [path] })).rejects.toMatchObject({
      code: "KubeconfigInvalid",
      message: expect.stringContaining(place),
    });
  });

  it("a server without a scheme", async () => {
    const path = await write("config", kubeconfig().replace('"https://api.example:6443"', "api:6443"));
    await expect(loadKubeconfig({ paths: [path] })).rejects.toMatchObject({
      code: "KubeconfigInvalid",
      message: expect.stringContaining("clusters[name=c].cluster.server must be a URL"),
      details: { file: path, path: "clusters[name=c].cluster.server" },
    });
  });

  it("a reference to a cluster that is nowhere, and a name given twice", async () => {
    const dangling = await write("config", kubeconfig().replace("cluster: c,", "cluster: gone,"));
    await expect(loadKubeconfig({ paths: [dangling] })).rejects.toMatchObject({
      code: "KubeconfigInvalid",
      message: expect.stringContaining(
        'contexts[name=dev].context.cluster is "gone", which no kubeconfig file',
      ),
    });
    const twice = await write("config", "users: [{name: a, user: {}}, {name: a, user: {}}]");
    await expect(loadKubeconfig({ paths: [twice] })).rejects.toMatchObject({ code: "KubeconfigInvalid" });
  });

  it("a certificate file that is missing", async () => {
    await expect(load({ cluster: "certificate-authority: gone.pem" })).rejects.toMatchObject({
      code: "KubeconfigUnreadable",
      message: `Cannot read the certificate authority ${join(directory, "gone.pem")}: it does not exist.`,
    });
  });
});
