import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { describe, expect, onTestFinished, test } from "vitest";

import { loadAgentConfig } from "./agent-config.ts";
import { agentSettings } from "./settings.ts";

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
      identitiesFolder: "/home/operator/.local/share/bowline/agents",
      healthListen: { host: "127.0.0.1", port: 8081 },
      maxStreams: 1024,
      drainTime: 20_000,
      log: { level: undefined, format: undefined },
      leaseNamespace: undefined,
    });
  });

  test("in a pod are for its ServiceAccount, and its probes reach the health page", () => {
    const environment = { ...home, KUBERNETES_SERVICE_HOST: "10.0.0.1" };
    expect(load({}, environment)).toMatchObject({
      kubeconfig: undefined,
      healthListen: { host: "0.0.0.0", port: 8081 },
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
      log: { level: "warn" },
      maxStreams: 5,
      servers: [],
    });
  });

  test("take the join token from a file or a variable", async () => {
    const path = await file("bwj_abc\n");
    expect(load({ "--join-token-file": path }).joinToken).toBe("bwj_abc");
    expect(load({}, { ...home, BOWLINE_JOIN_TOKEN: "bwj_def" }).joinToken).toBe("bwj_def");
    expect(load({}, { ...home, BOWLINE_JOIN_TOKEN: "bwj_def\n" }).joinToken).toBe("bwj_def");
    expect(load({}, { ...home, BOWLINE_JOIN_TOKEN_FILE: "/used-up" }).joinToken).toBeUndefined();
    expect(load({ "--join-token-file": await file("\n") }).joinToken).toBeUndefined();
    const both = { ...home, BOWLINE_JOIN_TOKEN: "bwj_def", BOWLINE_JOIN_TOKEN_FILE: "/used-up" };
    expect(load({}, both).joinToken).toBe("bwj_def");
    expect(load({}, { ...both, BOWLINE_JOIN_TOKEN_FILE: path }).joinToken).toBe("bwj_abc");
    expect(load({ "--join-token-file": "/used-up" }, both).joinToken).toBe("bwj_def");
  });

  test("say how long the drain may take as the server does, and in bare seconds as ever", () => {
    for (const [text, drainTime] of [
      ["1m30s", 90_000],
      ["0s", 0],
      ["5", 5_000],
      ["86400", 86_400_000],
    ] as const) {
      expect(load({ "--drain-time": text })).toMatchObject({ drainTime });
    }
  });

  test("have the names that they have always had", () => {
    expect(agentSettings.named.map(({ flag, variable }) => `${flag ?? ""} ${variable}`)).toEqual([
      " BOWLINE_JOIN_TOKEN",
      "--servers BOWLINE_SERVERS",
      "--server-ca-file BOWLINE_SERVER_CA_FILE",
      "--kubeconfig KUBECONFIG",
      "--kube-context BOWLINE_KUBE_CONTEXT",
      "--data BOWLINE_AGENT_DATA",
      "--secret-name BOWLINE_AGENT_SECRET",
      "--lease-namespace BOWLINE_LEASE_NAMESPACE",
      "--instance BOWLINE_INSTANCE",
      "--observe-secrets BOWLINE_OBSERVE_SECRETS",
      "--health-listen BOWLINE_HEALTH_LISTEN",
      "--max-streams BOWLINE_MAX_STREAMS",
      "--drain-time BOWLINE_DRAIN_TIME",
      "--log-level BOWLINE_LOG_LEVEL",
      "--log-format BOWLINE_LOG_FORMAT",
    ]);
  });

  test("say where they are from, and nothing of the token", () => {
    const environment = { ...home, BOWLINE_JOIN_TOKEN: "bwj_s3cret", KUBECONFIG: "/k" };
    const { origins, warnings } = load({ "--drain-time": "5" }, environment);
    expect(origins.get("joinToken")).toMatchObject({ shown: "[Redacted]", source: "BOWLINE_JOIN_TOKEN" });
    expect(origins.get("kubeconfig")).toMatchObject({ shown: "/k", source: "KUBECONFIG" });
    expect(origins.get("drainTime")).toMatchObject({ shown: "5s", source: "--drain-time" });
    expect(origins.get("maxStreams")).toMatchObject({ shown: "1024", source: "default" });
    expect(warnings).toEqual([]);
    const nearly = { ...home, BOWLINE_SERVER: "https://a", BOWLINE_MAX_STREAM: "1", BOWLINE_TOKEN: "x" };
    expect(load({}, nearly).warnings).toEqual([
      "BOWLINE_MAX_STREAM is no setting; did you mean BOWLINE_MAX_STREAMS?",
    ]);
  });

  test.each([
    ["--health-listen", "8081", "an address with a port"],
    ["--max-streams", "0", "a whole number from 1 to 100000"],
    ["--drain-time", "soon", "a duration such as 30s, 1h30m or 7d, from 0s to 24h"],
    ["--servers", "http://bowline.example.com", "one or more addresses such as https://"],
    ["--log-level", "loud", "one of trace, debug"],
    ["--log-format", "xml", "one of json, text"],
    ["--lease-namespace", "a/b", "the name of a namespace"],
    ["--server-ca-file", "/dev/null", "a file with certificates in PEM"],
  ])("say what is wrong with %s %s", (flag, value, expected) => {
    expect(() => load({ [flag]: value })).toThrow(
      expect.objectContaining({
        code: "InvalidArgument",
        message: expect.stringContaining(`${flag} must be ${expected}`),
      }),
    );
  });

  test.each([["--join-token-file"], ["--server-ca-file"]])(
    "say that the file of %s cannot be read",
    (flag) => {
      expect(() => load({ [flag]: "/" })).toThrow(
        expect.objectContaining({
          code: "InvalidArgument",
          message: `${flag} names /, which cannot be read (EISDIR).`,
        }),
      );
    },
  );
});
