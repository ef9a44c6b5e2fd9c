import type { KubeObject } from "@bowline/kube/shapes";
import { expect, test } from "vitest";

import { changeOf, editReducer, editStart, hasMovedOn, type Edit } from "./edit-state.ts";

const base: KubeObject = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", resourceVersion: "7" },
  spec: { replicas: 3, paused: false },
  status: { replicas: 3 },
};

const typed = (from: string, to: string, edit: Edit = editStart(base)): Edit =>
  editReducer(edit, { type: "typed", text: edit.text.replace(from, to) });

test("the change is what was typed and nothing else; there is none while the text is no object", () => {
  expect(changeOf(editStart(base))).toBeUndefined();
  expect(changeOf(typed("replicas: 3", "replicas: 5"))).toEqual([
    { op: "test", path: "/spec/replicas", value: 3 },
    { op: "replace", path: "/spec/replicas", value: 5 },
  ]);
  expect(changeOf(typed("replicas: 3", "replicas: ["))).toBeUndefined();
});

test("a status that changes is not in the way, a spec is", () => {
  const edit = editStart(base);
  expect(hasMovedOn(edit, { ...base, status: { replicas: 2 } })).toBe(false);
  expect(hasMovedOn(edit, { ...base, spec: { replicas: 4 } })).toBe(true);
});

test("somebody else was faster: both changes are joined, to be looked at and tried again", () => {
  const theirs = {
    ...base,
    metadata: { name: "web", resourceVersion: "9" },
    spec: { replicas: 3, paused: true },
  };
  const conflict = editReducer(typed("replicas: 3", "replicas: 5"), { type: "conflicted", theirs });
  expect(conflict).toMatchObject({
    step: "conflict",
    yours: { spec: { replicas: 5, paused: false } },
    theirs,
  });
  const redone = editReducer(conflict, { type: "redo" });
  expect(redone).toMatchObject({ step: "typing", base: theirs });
  expect(changeOf(redone)).toEqual([
    { op: "test", path: "/spec/replicas", value: 3 },
    { op: "replace", path: "/spec/replicas", value: 5 },
  ]);
  expect(changeOf(editReducer(conflict, { type: "restart", object: theirs }))).toBeUndefined();
});

test("two containers that two people have changed are joined", () => {
  const pod = (...images: readonly string[]): KubeObject => ({
    ...base,
    spec: { containers: images.map((image) => ({ name: image[0], image })) },
  });
  const edit = typed("image: b:1", "image: b:2", editStart(pod("a:1", "b:1")));
  const joined = editReducer(edit, { type: "conflicted", theirs: pod("a:9", "b:1") });
  expect(joined.text).toContain("image: a:9");
  expect(changeOf(editReducer(joined, { type: "redo" }))).toEqual([
    { op: "test", path: "/spec/containers/1/name", value: "b" },
    { op: "test", path: "/spec/containers/1/image", value: "b:1" },
    { op: "replace", path: "/spec/containers/1/image", value: "b:2" },
  ]);
});

test("a review shows the result, and one can go back to the same text", () => {
  const edit = typed("replicas: 3", "replicas: 5");
  const result = { ...base, spec: { replicas: 5, paused: false } };
  const review = editReducer(edit, { type: "tried", result });
  expect(review).toMatchObject({ step: "review", result });
  expect(editReducer(review, { type: "back" }).text).toBe(edit.text);
  const written = editReducer(review, { type: "written", result });
  expect(written).toMatchObject({ step: "typing", base: result, isWritten: true });
  expect(editReducer(written, { type: "movedOn", object: base })).toMatchObject({ base, isWritten: true });
});

test("which values of a Secret are new is told, and not what they are", () => {
  const secret: KubeObject = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "db", resourceVersion: "7" },
    data: { password: "(hidden)", user: "(hidden)" },
  };
  const edit = typed("password: (hidden)", "password: bmV1", editStart(secret));
  expect(changeOf(edit)).toEqual([{ op: "replace", path: "/data/password", value: "bmV1" }]);
  const review = editReducer(edit, { type: "tried", result: secret });
  expect(review).toMatchObject({
    result: { data: { password: "(hidden, written anew)", user: "(hidden)" } },
  });
});
