import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import { busyboxImage } from "@bowline/test-cluster";
import { expect, test } from "vitest";

import { addEditor } from "./editors.ts";
import { clusterName } from "./people.ts";
import type { Topic } from "./topic.ts";

const namespace = "vault";
/** Only the cluster has it. */
const kept = "canary-that-stays-6b1f";
/** Is in a manifest that Bowline was given. */
const given = "canary-that-was-given-90c2";

const secret = (stringData: object): object => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "keys", namespace },
  stringData,
});

const deployment = (env: object[], image = busyboxImage): object => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "safe", namespace },
  spec: {
    selector: { matchLabels: { app: "safe" } },
    template: {
      metadata: { labels: { app: "safe" } },
      spec: {
        terminationGracePeriodSeconds: 0,
        containers: [
          {
            name: "main",
            image,
            imagePullPolicy: "Never",
            command: ["sleep", "3600"],
            env,
            envFrom: [{ secretRef: { name: "keys" } }],
          },
        ],
      },
    },
  },
});

const listOf = (...items: object[]): string => JSON.stringify({ apiVersion: "v1", kind: "List", items });

/** As they stand in files and answers. */
const formsOf = (text: string): string[] => {
  // Within a longer text the same bytes look different by where they stand.
  const shifted = ["", "a", "ab"].map((before) =>
    Buffer.from(before + text)
      .toString("base64")
      .slice(4, -4),
  );
  return [text, ...shifted];
};

const isIn = (text: string, place: string): boolean => formsOf(text).some((form) => place.includes(form));

/** What belongs to the cluster alone. */
export const secretsTopic: Topic = (stage) => {
  test("no value of a Secret, an environment or a last-applied configuration leaves the cluster by a workload", async () => {
    const { cluster, dataFolder, serverLog, bowline: admin } = stage();
    await cluster.kubectl(["create", "namespace", namespace]);
    // By kubectl, so that all of it is in the annotation of the last-applied configuration as well.
    const theirs = listOf(secret({ password: kept }), deployment([{ name: "PASSWORD", value: kept }]));
    await cluster.kubectl(["apply", "-f", "-"], { input: theirs });
    const keeper = await addEditor(stage(), "keeper", { kubernetes: { groups: ["system:masters"] } });
    const { bowline, tried } = keeper;
    const deploy = (patience: string, image?: string) =>
      tried(
        ["deploy", "-", "--name", "safe", "--cluster", clusterName, "--wait", "--timeout", patience],
        listOf(secret({ other: given }), deployment([{ name: "OTHER", value: "plain" }], image)),
      );
    expect(await deploy("150s")).toMatchObject({ code: 0 });
    const env = "jsonpath={.items[*].spec.containers[0].env[*].value}";
    const pods = ["get", "pods", "--namespace", namespace, "-o", env];
    expect(await cluster.kubectl(pods)).toContain(kept);
    // Changed by hand, set right, and in trouble: whatever is told of it then.
    await cluster.kubectl(["--namespace", namespace, "set", "env", "deployment/safe", `OTHER=${kept}`]);
    await expect.poll(() => cluster.kubectl(pods)).toContain("plain");
    await deploy("20s", "localhost/nothing:1");

    const answers: string[] = [];
    for (const args of [
      ["tree", "wi/safe", "-o", "json"],
      ["describe", "wi/safe"],
      ["events", "--instance", "safe", "-o", "json"],
      ["get", "wi,wp", "-o", "json"],
    ])
      answers.push((await bowline(args)).out);
    answers.push((await admin(["audit", "--limit", "5000", "-o", "json"])).out);
    const agentLog = ["--namespace", "bowline-system", "logs", "deployment/bowline-agent"];
    const places: Record<string, string> = {
      answers: answers.join("\n"),
      "the log of the server": serverLog(),
      "the log of the agent": await cluster.kubectl(agentLog),
    };
    for (const [place, text] of Object.entries(places)) {
      expect([
        place,
        text.includes("safe") || place !== "answers",
        isIn(kept, text),
        isIn(given, text),
      ]).toEqual([place, true, false, false]);
    }
    expect(serverLog()).toContain('"level":"debug"');
    // The manifest itself is in the database; what it does not say is not.
    const files = (await readdir(dataFolder, { recursive: true })).filter((name) => /\.db/u.test(name));
    expect(files).toContainEqual(expect.stringMatching(/-wal$/u));
    const database = await Promise.all(files.map((name) => readFile(join(dataFolder, name), "latin1")));
    expect(database.some((text) => text.includes("safe"))).toBe(true);
    expect(database.map((text) => isIn(kept, text))).toEqual(database.map(() => false));
    await bowline(["delete", "wi/safe", "wd/safe"]);
  });
};
