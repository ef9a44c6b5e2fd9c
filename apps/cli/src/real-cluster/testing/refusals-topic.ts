import { expect, test } from "vitest";

import { refuseByWebhook } from "./admission-webhook.ts";
import { addEditor, resourcesOf } from "./editors.ts";
import { clusterName } from "./people.ts";
import type { Topic } from "./topic.ts";

const namespace = "tried";
const group = "bowline:planners";

/** Good objects among all kinds of bad ones; aliases make of a page more than the cluster takes. */
const manifests = (step: number): string => `
apiVersion: v1
kind: ConfigMap
metadata: { name: good }
data: { step: "${step}" }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: fixed }
immutable: true
data: { step: "${step}" }
---
apiVersion: example.test/v1
kind: Gadget
metadata: { name: unheard-of }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: lost, namespace: nowhere }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: disliked, labels: { refuse: "yes" } }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: huge }
data:
  first: &page "${"x".repeat(100_000)}"
${Array.from({ length: 40 }, (_, n) => `  page-${n}: *page`).join("\n")}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: { name: forbidden }
spec: { podSelector: {} }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: wrong }
spec:
  selector: { matchLabels: { app: one } }
  template:
    metadata: { labels: { app: another } }
    spec: { containers: [{ name: main, image: main }] }
`;

const told = (state: string, reason?: string, message?: unknown): unknown[] => [state, reason, message];
const saying = (text: string | RegExp): unknown => expect.stringMatching(text);

/** What a cluster refuses. */
export const refusalsTopic: Topic = (stage) => {
  test("each bad object of a manifest is told with its own reason, and the good ones are applied", async () => {
    const { cluster } = stage();
    await cluster.kubectl(["create", "namespace", namespace]);
    const verbs = ["--verb=get,list,create,patch,delete", "--resource=configmaps,deployments.apps"];
    await cluster.kubectl(["create", "clusterrole", "planners", ...verbs]);
    await cluster.kubectl([
      "create",
      "clusterrolebinding",
      "planners",
      "--clusterrole=planners",
      `--group=${group}`,
    ]);
    await refuseByWebhook(cluster, "nobody likes it");
    const planner = await addEditor(stage(), "planner", { kubernetes: { groups: [group] } });
    const deploy = async (step: number): Promise<void> => {
      const where = ["--cluster", clusterName, "--namespace", namespace];
      await planner.bowline(["deploy", "-", "--name", "tried", ...where], manifests(step));
    };
    const shown = (): Promise<unknown> => resourcesOf(planner.client, "tried");
    const bad = {
      "Gadget unheard-of": told("failed", "UnknownKind", saying("Gadget")),
      "ConfigMap nowhere/lost": told("failed", "NamespaceMissing", saying("no namespace nowhere")),
      "ConfigMap tried/disliked": told("failed", "AdmissionDenied", saying("nobody likes it")),
      "ConfigMap tried/huge": told("failed", "TooLarge", saying("divide it")),
      "NetworkPolicy tried/forbidden": told(
        "failed",
        "Forbidden",
        saying(
          /cannot patch resource "networkpolicies".* The rule to add to a Role in the namespace tried: /u,
        ),
      ),
      "Deployment tried/wrong": told("failed", "Invalid", saying("selector")),
    };
    await deploy(1);
    await expect.poll(shown).toEqual({
      ...bad,
      "ConfigMap tried/good": told("applied"),
      "ConfigMap tried/fixed": told("applied"),
    });
    await deploy(2);
    await expect.poll(shown).toEqual({
      ...bad,
      "ConfigMap tried/good": told("applied"),
      "ConfigMap tried/fixed": told("failed", "ImmutableField", saying("bowline.dev/recreate")),
    });
    const good = ["get", "configmap/good", "--namespace", namespace, "-o", "jsonpath={.data.step}"];
    expect(await cluster.kubectl(good)).toBe("2");
    const tree = (await planner.bowline(["tree", "wi/tried"])).out;
    for (const reason of ["UnknownKind", "NamespaceMissing", "AdmissionDenied", "TooLarge", "ImmutableField"])
      expect(tree).toMatch(new RegExp(`^.* ${reason} `, "mu"));
    await planner.bowline(["delete", "wi/tried", "wd/tried"]);
  });
};
