import { busyboxImage } from "@bowline/test-cluster";
import { expect, onTestFinished, test } from "vitest";

import { FakeTerminal } from "../../testing/fake-terminal.ts";
import { addEditor, type Editor } from "./editors.ts";
import { clusterName } from "./people.ts";
import type { Stage } from "./stage.ts";
import type { Topic } from "./topic.ts";

/** Writes what is written to `/tmp/said`, and ends when it is told to. */
const script = `echo hello from $HOSTNAME; mkfifo /tmp/said
until [ -e /tmp/end ]; do cat /tmp/said; done; exit 4`;

const manifest = JSON.stringify({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "talk" },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: "talk" } },
    template: {
      metadata: { labels: { app: "talk" } },
      spec: {
        terminationGracePeriodSeconds: 0,
        containers: [
          {
            name: "main",
            image: busyboxImage,
            imagePullPolicy: "Never",
            command: ["sh", "-c", script],
            readinessProbe: { exec: { command: ["test", "-e", "/tmp/said"] }, periodSeconds: 1 },
          },
        ],
      },
    },
  },
});

const kubectlHint = "bowline kubectl CLUSTER -- exec -i";

async function openWorkload(stage: Stage): Promise<{ readonly editor: Editor; readonly pods: string[] }> {
  const editor = await addEditor(stage, "talker", { kubernetes: { groups: ["system:masters"] } });
  await editor.bowline(["deploy", "-", "--name", "talk", "--cluster", clusterName, "--wait"], manifest);
  onTestFinished(async () => void (await editor.bowline(["delete", "wi/talk", "wd/talk"])));
  const names = await stage.cluster.kubectl(["get", "pods", "-l", "app=talk", "-o", "name"]);
  return {
    editor,
    pods: names
      .trim()
      .split("\n")
      .map((name) => name.replace("pod/", ""))
      .toSorted(),
  };
}

/** The containers of a workload, by the name of the instance. */
export const containersTopic: Topic = (stage) => {
  test("logs and exec of an instance reach its real containers, and end as they do", async () => {
    const { editor, pods } = await openWorkload(stage());
    const { bowline, tried } = editor;
    const lineOf = (pod: string, text: string): string => `[${clusterName}/${pod}/main] ${text}\n`;
    const [first = "", second = ""] = pods;
    const logs = (await bowline(["logs", "wi/talk"])).out;
    expect(logs.split(/(?<=\n)/u).toSorted()).toEqual(pods.map((pod) => lineOf(pod, `hello from ${pod}`)));

    const stopping = new AbortController();
    const terminal = new FakeTerminal();
    const following = editor.start(["logs", "wi/talk", "-f"], {
      terminal,
      signal: stopping.signal,
    });
    for (const pod of pods) await terminal.wrote(lineOf(pod, `hello from ${pod}`));
    const inFirst = (...command: string[]) => tried(["exec", "wi/talk", "--pod", first, "--", ...command]);
    expect(await inFirst("sh", "-c", "echo out; echo error >&2; exit 7")).toMatchObject({
      code: 7,
      out: "out\n",
      error: expect.stringContaining("error\n"),
    });
    expect((await inFirst("hostname")).out).toBe(`${first}\n`);
    for (const word of ["one", "two"]) {
      expect(await inFirst("sh", "-c", `echo ${word} > /tmp/said`)).toMatchObject({ code: 0 });
      await terminal.wrote(lineOf(first, word));
    }
    // Started anew, the container is followed on, and the one before it is not forgotten.
    await inFirst("sh", "-c", "touch /tmp/end; echo bye > /tmp/said");
    await terminal.wrote(lineOf(first, "bye"));
    const hello = lineOf(first, `hello from ${first}`);
    await expect.poll(() => terminal.written.split(hello).length - 1).toBe(2);
    stopping.abort();
    await following;
    expect((await tried(["logs", "wi/talk", "--previous"])).out).toBe(
      [`hello from ${first}`, "one", "two", "bye"].map((text) => lineOf(first, text)).join(""),
    );

    const nothing = await tried(["exec", "wi/talk", "--pod", second, "--", "no-such-program"]);
    expect(nothing.code).not.toBe(0);
    expect(nothing.error).toContain("no-such-program");
    const piped = await tried(["exec", "wi/talk", "--pod", second, "-i", "--", "wc", "-c"], "12345");
    const isNew = (await stage().operator.minorVersion()) >= 30;
    expect(piped.out).toBe(isNew ? "5\n" : "");
    expect(piped.error.includes(kubectlHint)).toBe(!isNew);
  });
};
