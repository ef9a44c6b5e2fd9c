import type { ManifestObject } from "@bowline/manifests";
import { expect, test } from "vitest";

import { translateHooks } from "./chart-hooks.ts";

const job = (name: string, annotations: Record<string, string>, kind = "Job"): ManifestObject => ({
  apiVersion: kind === "Job" ? "batch/v1" : "v1",
  kind,
  metadata: { name, annotations },
});
const translated = (...objects: ManifestObject[]) => {
  const { problems, notes, ...rest } = translateHooks(objects.map((object) => ({ object, file: "chart" })));
  const annotations = rest.objects.map(({ object }) => [
    object.metadata.name,
    object.metadata["annotations"],
  ]);
  return { annotations: Object.fromEntries(annotations), problems, notes };
};
const pre = { "helm.sh/hook": "pre-upgrade, pre-install" };

test("hooks that run at the same moments are hooks of Bowline, one after the other as Helm runs them", () => {
  const { annotations, problems, notes } = translated(
    job("b", {
      ...pre,
      "helm.sh/hook-weight": "5",
      "helm.sh/hook-delete-policy": "hook-succeeded",
      mine: "1",
    }),
    job("c", { ...pre, "helm.sh/hook-weight": "-5" }, "Pod"),
    job("a", { ...pre, "helm.sh/hook-weight": "5" }),
    job("after", { "helm.sh/hook": "post-install,post-upgrade", "helm.sh/hook-weight": "6" }),
    job("last", { "helm.sh/hook": "pre-delete", "helm.sh/hook-weight": "7" }),
    job("plain", { mine: "2" }),
  );
  expect(problems).toEqual([]);
  expect(annotations).toEqual({
    c: { "bowline.dev/hook": "pre", "bowline.dev/wave": "0" },
    a: { "bowline.dev/hook": "pre", "bowline.dev/wave": "1" },
    b: { "bowline.dev/hook": "pre", "bowline.dev/wave": "2", mine: "1" },
    after: { "bowline.dev/hook": "post", "bowline.dev/wave": "3" },
    last: { "bowline.dev/hook": "delete", "bowline.dev/wave": "4" },
    plain: { mine: "2" },
  });
  expect(notes).toHaveLength(5);
});

test.each([
  ["only at an install", job("job", { "helm.sh/hook": "pre-install" })],
  ["only at an upgrade", job("job", { "helm.sh/hook": "post-upgrade" })],
  ["also at a rollback", job("job", { "helm.sh/hook": "pre-install,pre-upgrade,pre-rollback" })],
  ["before and after", job("job", { "helm.sh/hook": "pre-install,pre-upgrade,post-install,post-upgrade" })],
  ["after a deletion", job("job", { "helm.sh/hook": "post-delete" })],
  ["of another kind", job("settings", pre, "ConfigMap")],
  ["with a weight that is no number", job("job", { ...pre, "helm.sh/hook-weight": "early" })],
])("a hook %s is refused", (_, object) => {
  const { annotations, problems } = translated(object);
  expect(annotations).toEqual({});
  expect(problems).toMatchObject([{ message: expect.stringContaining("this is a hook of Helm") }]);
});
