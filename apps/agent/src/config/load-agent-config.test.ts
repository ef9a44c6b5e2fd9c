import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { describe, expect, onTestFinished, test } from "vitest";

import { loadAgentConfig } from "./load-agent-config.ts";

const home = { HOME: "/home/operator" };
const load = (flags: Record<string, string>, environment: Record<string, string> = home) =>
  loadAgentConfig({ flags, environment });

async function file(content: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "bowline-agent-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, "file");
  await writeFile(path, content);
  return path;
}

describe("the settings of an agent", () => {
  test("outside of a pod are for the current context of the usual kubeconfig", () => {
    expect(load({})).toMatchObject({
      joinToken: undefined,
      kubeconfig: { paths: ["/home/operator/.kube/config"], context: undefined },
      data: undefined,
      dataHome: "/home/operator/.local/share/bowline/agents",
      health: { host: "127.0.0.1", port: 8081 },
      maxStreams: 1024,
      drainTimeMs: 20_000,
      logLevel: undefined,
      logFormat: undefined,
      leaseNamespace: undefined,
    });
  });

  test("in a pod are for its ServiceAccount, and its probes reach the health page", () => {
    const environment = { ...home, KUBERNETES_SERVICE_HOST: "10.0.0.1" };
    expect(load({}, environment)).toMatchObject({
      kubeconfig: undefined,
      health: { host: "0.0.0.0", port: 8081 },
      secretName: "bowline-agent",
    });
    expect(load({ "--kubeconfig": "/k" }, environment)).toMatchObject({ kubeconfig: { paths: ["/k"] } });
  });

  test("are stronger as flags than as variables", () => {
    const environment = {
      ...home,
      BOWLINE_LOG_LEVEL: "debug",
      BOWLINE_MAX_STREAMS: "5",
      BOWLINE_SERVERS: "",
    };
    expect(load({ "--log-level": "warn" }, environment)).toMatchObject({
      logLevel: "warn",
      maxStreams: 5,
      servers: [],
    });
  });

  test("take the join token from a file or a variable", async () => {
    const path = await file("bwj_abc\n");
    expect(load({ "--join-token-file": path }).joinToken).toBe("bwj_abc");
    expect(load({}, { ...home, BOWLINE_JOIN_TOKEN: "bwj_def" }).joinToken).toBe("bwj_def");
    expect(load({}, { ...home, BOWLINE_JOIN_TOKEN_FILE: "/used-up" }).joinToken).toBeUndefined();
  });

  test.each([
    ["--health-listen", "8081", "an address with a port"],
    ["--max-streams", "0", "a whole number from 1 to 100000"],
    ["--drain-time", "soon", "a whole number from 0 to 86400"],
    ["--servers", "http://bowline.example.com", "one or more addresses such as https://"],
    ["--log-level", "loud", "one of trace, debug"],
    ["--log-format", "xml", "one of json, text"],
    ["--lease-namespace", "a/b", "the name of a namespace"],
    ["--join-token-file", "/", "a file that can be read, which / is not"],
    ["--server-ca-file", "/dev/null", "a file with certificates in PEM"],
  ])("say what is wrong with %s %s", (flag, value, expected) => {
    expect(() => load({ [flag]: value })).toThrow(
      expect.objectContaining({
        code: "InvalidArgument",
        message: expect.stringContaining(`${flag} must be ${expected}`),
      }),
    );
  });
});
