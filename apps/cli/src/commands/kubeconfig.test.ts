import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";

import { startClusterBehindServer, type ClusterBehindServer } from "../testing/cluster-behind-server.ts";
import { runBowline, type Ran } from "../testing/run-bowline.ts";

let cluster: ClusterBehindServer;
beforeAll(async () => {
  cluster = await startClusterBehindServer();
});
afterAll(() => cluster[Symbol.asyncDispose]());

function kubeconfig(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  return runBowline(["kubeconfig", ...args], { environment: { ...cluster.environment, ...environment } });
}

describe("bowline kubeconfig", () => {
  test("prints a kubeconfig without a token in it", async () => {
    const { code, out, error } = await kubeconfig(["prod"]);
    expect({ code, error }).toEqual({ code: 0, error: "" });
    const user = "bowline-local";
    const ca = Buffer.from(cluster.caPem).toString("base64");
    expect(parse(out)).toMatchObject({
      "current-context": "bowline-prod",
      clusters: [
        {
          name: "bowline-prod",
          cluster: { server: `${cluster.url}/clusters/prod`, "certificate-authority-data": ca },
        },
      ],
      contexts: [{ name: "bowline-prod", context: { cluster: "bowline-prod", user } }],
      users: [
        {
          name: user,
          user: {
            exec: {
              apiVersion: "client.authentication.k8s.io/v1beta1",
              args: expect.arrayContaining(["credential", "--context", "local"]),
              interactiveMode: "Never",
            },
          },
        },
      ],
    });
    expect(out).not.toContain("bwl_");
    expect(JSON.parse((await kubeconfig(["prod", "-o", "json"])).out)).toEqual(parse(out));
  });

  test("a token of the environment has to be there for kubectl too", async () => {
    const environment = { BOWLINE_TOKEN: "bwl_token-of-the-context", BOWLINE_SERVER: cluster.url };
    const file = join(cluster.folder, "empty.yaml");
    const caFile = join(cluster.folder, "ca.pem");
    await writeFile(caFile, cluster.caPem);
    const ran = await kubeconfig(["prod"], { ...environment, BOWLINE_CONFIG: file, BOWLINE_CA_FILE: caFile });
    expect(ran.error).toContain("kubectl will need BOWLINE_TOKEN");
    expect(ran.out).not.toContain("bwl_");
  });

  test.each([
    [[], 2, "Say which clusters"],
    [["prod", "--all"], 2, "Say which clusters"],
    [["../users"], 2, "is no name of an object"],
    [["prod", "--merge", "-o", "json"], 2, "leave out either"],
  ])("%j is refused", async (args, code, sentence) => {
    const ran = await kubeconfig(args);
    expect(ran).toMatchObject({ code, out: "" });
    expect(ran.error).toContain(sentence);
  });

  test("a server without TLS is refused, as kubectl would send it no token", async () => {
    const { code, error } = await runBowline(["kubectl", "prod", "--", "get", "pods"], {
      environment: { ...cluster.environment, BOWLINE_SERVER: "http://127.0.0.1:7443" },
    });
    expect(code).toBe(2);
    expect(error).toContain("kubectl sends a token over https only");
  });
});

describe("--merge", () => {
  test("takes the first file of KUBECONFIG that is there, and leaves what is in it", async () => {
    const [first, second] = [join(cluster.folder, "first"), join(cluster.folder, "second")];
    await writeFile(second, "# mine\ncurrent-context: home\n");
    const ran = await kubeconfig(["prod", "--merge"], { KUBECONFIG: `${first}:${second}` });
    expect(ran.error).toContain(`Written to ${second}.`);
    expect(await readFile(second, "utf8")).toMatch(/^# mine\ncurrent-context: home\n/u);
  });

  test("does not write while another program does", async () => {
    await mkdir(join(cluster.folder, ".kube"));
    await writeFile(join(cluster.folder, ".kube", "config.lock"), "");
    const { code, error } = await kubeconfig(["prod", "--merge"]);
    expect(code).toBe(1);
    expect(error).toContain("Another program is changing");
  });

  test("leaves a file alone that is no kubeconfig", async () => {
    const path = join(cluster.folder, "broken");
    await writeFile(path, "clusters: [");
    const { code, error } = await kubeconfig(["prod", "--merge"], { KUBECONFIG: path });
    expect(code).toBe(1);
    expect(error).toContain(`${path} is not valid YAML`);
    expect(await readFile(path, "utf8")).toBe("clusters: [");
  });
});
