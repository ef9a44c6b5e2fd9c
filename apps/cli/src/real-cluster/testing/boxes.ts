import { busyboxImage, type Cluster } from "@bowline/test-cluster";

import { agentImageName } from "./agent-image.ts";

/** Answers each request with its own body. */
const echoServer = `
  const { createServer } = require("node:http");
  createServer((request, response) => request.pipe(response)).listen(8080, () => console.log("listening"));`;

/** What people work with: each pod is named for what it does. */
const pods = [
  // To run commands in; logs what is written to `/tmp/said`, as it comes.
  pod("box", { command: ["sh", "-c", "mkfifo /tmp/said; while true; do cat /tmp/said; done"] }, "/tmp/said"),
  // Answers to its standard input.
  pod("parrot", {
    command: ["sh", "-c", 'while read -r line; do echo "you said $line"; done; sleep 3600'],
    stdin: true,
  }),
  pod("echo", {
    image: agentImageName,
    command: ["node", "--eval", echoServer],
    readinessProbe: { httpGet: { port: 8080 }, periodSeconds: 1 },
  }),
];

export async function startBoxes(cluster: Cluster): Promise<void> {
  const input = pods.map((each) => JSON.stringify(each)).join("\n");
  await cluster.kubectl(["apply", "-f", "-"], { input });
  const names = ["pod/box", "pod/parrot", "pod/echo"];
  await cluster.kubectl(["wait", ...names, "--for=condition=Ready", "--timeout=150s"]);
}

function pod(name: string, container: object, readyFile?: string): object {
  const ready = { exec: { command: ["test", "-e", readyFile] }, periodSeconds: 1 };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default" },
    spec: {
      terminationGracePeriodSeconds: 0,
      containers: [
        {
          name: "main",
          image: busyboxImage,
          imagePullPolicy: "Never",
          ...(readyFile === undefined ? {} : { readinessProbe: ready }),
          ...container,
        },
      ],
    },
  };
}
