import type { ClusterAccess } from "@bowline/api";
import type { KubeObject } from "@bowline/kube/shapes";
import { afterEach, describe, expect, test, vi } from "vitest";

import { readRefusedActions, reviewer, reviewsOf } from "./rights.ts";

const place = {
  cluster: "edge",
  group: "",
  version: "v1",
  resource: "pods",
  namespace: "shop",
  name: "till",
};
const pod: KubeObject = { apiVersion: "v1", kind: "Pod", metadata: { name: "till" } };
const grant = { name: "ops", user: "ada", groups: ["g"] };
const { signal } = new AbortController();

/** Answers reviews; `allowed` has what is, as `verb resource/subresource`. */
function answerReviews(allowed: readonly string[], status = 201): { readonly asked: string[] } {
  const asked: string[] = [];
  vi.stubGlobal("fetch", async (path: string, { body }: { body: string }) => {
    const { verb, resource, subresource = "" } = JSON.parse(body).spec.resourceAttributes;
    const question = `${verb} ${resource}${subresource === "" ? "" : `/${subresource}`}`;
    asked.push(`${path} ${question}`);
    return new Response(JSON.stringify({ status: { allowed: allowed.includes(question) } }), { status });
  });
  return { asked };
}

afterEach(() => {
  vi.unstubAllGlobals();
});

describe("What somebody may do to an object", () => {
  test("is asked of the cluster, one review for each thing that its page can do", async () => {
    const { asked } = answerReviews(["patch pods", "get pods/log", "get pods/exec"]);
    const refused = await readRefusedActions(place, pod, { grants: [grant] }, signal);
    const path = "/clusters/edge/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    expect(asked.toSorted()).toEqual(
      ["create pods/exec", "delete pods", "get pods/exec", "get pods/log", "patch pods"].map(
        (question) => `${path} ${question}`,
      ),
    );
    expect(refused).toEqual({
      delete: "The RBAC of edge does not let ada delete pods in shop (by your AccessGrant ops).",
    });
  });

  test("is nothing where no grant covers it, and the cluster is not asked", async () => {
    const { asked } = answerReviews([]);
    const access = { grants: [{ ...grant, namespaces: ["other"] }] };
    const refused = await readRefusedActions(place, pod, access, signal);
    expect(Object.keys(refused)).toEqual(["edit", "delete", "logs", "shell"]);
    expect(refused.shell).toMatch(/No AccessGrant of yours covers the namespace shop of edge/u);
    expect(asked).toEqual([]);
  });

  test("stays open where it cannot be told", async () => {
    answerReviews([], 503);
    expect(await readRefusedActions(place, pod, { grants: [grant] }, signal)).toEqual({});
    const { asked } = answerReviews([]);
    // The review would be made as ada, the request as bob.
    const access = {
      grants: [
        { ...grant, namespaces: ["other"] },
        { ...grant, name: "z", user: "bob" },
      ],
    };
    expect(await readRefusedActions(place, pod, access, signal)).toEqual({});
    expect(asked).toEqual([]);
  });

  test("ends with its page", async () => {
    const closed = new AbortController();
    vi.stubGlobal("fetch", () => Promise.reject(new DOMException("gone", "AbortError")));
    closed.abort();
    await expect(readRefusedActions(place, pod, { grants: [grant] }, closed.signal)).rejects.toThrow("gone");
  });
});

test("a grant that is held to namespaces covers nothing outside of them", () => {
  const access: ClusterAccess = { grants: [{ ...grant, namespaces: ["shop"] }] };
  expect(reviewer(access, place)).toMatchObject({ covering: { name: "ops" }, canReview: true });
  const { namespace: _, ...outside } = place;
  expect(reviewer(access, outside)).toEqual({ covering: undefined, canReview: false });
});

test("kinds differ in what can be done to them", () => {
  const deployment: KubeObject = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web" },
    spec: { selector: { matchLabels: { app: "web" } }, template: { spec: { containers: [] } } },
  };
  const apps = { ...place, group: "apps", resource: "deployments", name: "web" };
  expect(reviewsOf(apps, deployment).get("logs")).toEqual([
    { group: "", resource: "pods", namespace: "shop", verb: "get", subresource: "log" },
  ]);
  expect(reviewsOf(apps, deployment).get("scale")).toEqual([
    {
      group: "apps",
      resource: "deployments",
      namespace: "shop",
      name: "web",
      verb: "patch",
      subresource: "scale",
    },
  ]);
  expect([...reviewsOf({ ...place, resource: "secrets" }, pod).keys()]).toEqual(["edit", "delete", "values"]);
});
