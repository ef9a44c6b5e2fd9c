import { expect, onTestFinished, test } from "vitest";

import { BothSides } from "./both-sides.ts";
import { addEditor } from "./editors.ts";
import { clusterName } from "./people.ts";
import type { Topic } from "./topic.ts";
import { namespace } from "./web-workload.ts";
import { WorkloadWalk } from "./workload-walk.ts";

const nobodysImage = "127.0.0.1:1/nobody/nothing:1";
const crash = ["sh", "-c", "echo the shop is closed > /dev/termination-log; exit 3"];
/** A pod that ends as soon as it is ready does not count: one of them is in trouble, and the others stay. */
const patient = { minReadySeconds: 60 };
const probe = (command: string): object => ({
  readinessProbe: { exec: { command: [command] }, periodSeconds: 1 },
});

/** A workload with real pods, from its first day to its last. */
export const workloadsTopic: Topic = (stage) => {
  test("each step of a workload is in the API as soon as in the cluster, as kubectl shows it", async () => {
    const { cluster } = stage();
    const editor = await addEditor(stage(), "editor", { kubernetes: { groups: ["system:masters"] } });
    await cluster.kubectl(["create", "namespace", namespace]);
    const { client } = editor;
    const sides = await BothSides.open({ cluster, client, namespace, instance: "web" });
    onTestFinished(() => sides[Symbol.asyncDispose]());
    const walk = new WorkloadWalk({ cluster, editor, sides });

    const first = { version: "v1", replicas: 2 };
    await walk.isRolledOut("deploy", first, () =>
      walk.deploy(first, "--cluster", clusterName, "--namespace", namespace),
    );
    await walk.isRolledOut("change", { version: "v2", replicas: 2 });
    const more = { version: "v2", replicas: 3 };
    await walk.isRolledOut("scale", more, () => walk.apply(more));
    await walk.isStuck(
      "bad image",
      { version: "v3", replicas: 3, container: { image: nobodysImage } },
      ["ErrImagePull", "ImagePullBackOff"],
      /^Pod web-\S+: Container main: the image 127\.0\.0\.1:1\/nobody\/nothing:1 cannot be pulled: /u,
    );
    await walk.isRolledOut("repair", { version: "v4", replicas: 3 });
    await walk.isStuck(
      "crash loop",
      { version: "v5", replicas: 3, deployment: patient, container: { command: crash } },
      // It may be seen between two starts, or right after it has ended.
      ["CrashLoopBackOff", "ContainerFailed"],
      /^Pod web-\S+: Container main (?:has been restarted (?:once|\d+ times) and )?ended with exit code 3: the shop is closed/u,
    );
    await walk.keepsReason("CrashLoopBackOff", { version: "v5", restarts: 2 });
    await walk.isStuck(
      "unschedulable",
      { version: "v6", replicas: 3, pod: { nodeSelector: { planet: "mars" } } },
      ["Unschedulable"],
      /^Pod web-\S+: No node can take the pod: 0\/1 nodes are available/u,
    );
    await walk.isStuck(
      "failing probe",
      { version: "v7", replicas: 3, container: probe("false") },
      ["ReadinessProbeFailing"],
      /Pod web-\S+: Container main runs, but its readiness probe does not succeed\./u,
    );
    // Without a probe, of which servers before 1.21 would keep what they have filled in.
    await walk.isRolledOut("repair again", { version: "v8", replicas: 1 });
    const shown = await cluster.kubectl(["--namespace", namespace, "get", "deployment", "web", "-o", "json"]);
    expect(shown).not.toContain("Probe");
    await walk.isGone();
    expect(sides.differences).toHaveLength(10);
    // A machine with other work may hold up one or the other of them; what looks now and then would be late with most.
    const late = sides.differences.filter(({ ms }) => ms > 2_000);
    expect(late.length).toBeLessThan(sides.differences.length / 2);
  });
};
