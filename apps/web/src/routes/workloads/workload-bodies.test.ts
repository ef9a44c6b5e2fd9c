import { expect, test } from "vitest";

import { formProblem, workloadBodies, type WorkloadForm } from "./workload-bodies.ts";

const form: WorkloadForm = {
  name: " web ",
  namespace: "shop",
  placement: "clusters",
  clusters: ["edge"],
  selector: "",
  manifests: "kind: ConfigMap",
};

test("a form becomes a definition and an instance of the same name", () => {
  expect(formProblem(form)).toBeUndefined();
  expect(workloadBodies(form)).toEqual({
    definition: { metadata: { name: "web" }, spec: { source: { inline: { manifests: "kind: ConfigMap" } } } },
    instance: {
      metadata: { name: "web" },
      spec: { definition: "web", namespace: "shop", placement: { clusters: ["edge"] } },
    },
  });
});

test("a selector becomes labels where it can, and conditions where it cannot", () => {
  const selected: WorkloadForm = {
    ...form,
    namespace: "",
    placement: "selector",
    selector: "env=prod,region in (eu,us),!canary,env!=dev",
  };
  expect(formProblem(selected)).toBeUndefined();
  expect(workloadBodies(selected).instance.spec).toEqual({
    definition: "web",
    placement: {
      selector: {
        matchLabels: { env: "prod" },
        matchExpressions: [
          { key: "region", operator: "In", values: ["eu", "us"] },
          { key: "canary", operator: "DoesNotExist" },
          { key: "env", operator: "NotIn", values: ["dev"] },
        ],
      },
    },
  });
});

test.each<[Partial<WorkloadForm>, RegExp]>([
  [{ name: " " }, /name/u],
  [{ manifests: "\n" }, /manifests/u],
  [{ clusters: [] }, /Choose a cluster/u],
  [{ placement: "selector" }, /every cluster/u],
  [{ placement: "selector", selector: "env in prod" }, /env in prod/u],
])("a form with %j is not sent", (changed, problem) => {
  expect(formProblem({ ...form, ...changed })).toMatch(problem);
});
