import { describe, expect, test } from "vitest";

import type { KnownObjects } from "@bowline/protocol";

import type { ObjectPlace } from "../observe/kube-message.ts";
import { ToldFacts } from "./told-facts.ts";

const place = (uid: string, namespace = "shop", kind = "/Pod"): ObjectPlace => ({
  kind,
  namespace,
  name: `name-of-${uid}`,
  uid,
  owner: undefined,
});

function known(namespace: string, digests: Readonly<Record<string, string>>): KnownObjects {
  return {
    $typeName: "bowline.agent.v1.KnownObjects",
    group: "",
    kind: "Pod",
    namespace,
    uids: Object.keys(digests),
    digests: Buffer.from(Object.values(digests).join(""), "latin1"),
  };
}

const gone = (told: ToldFacts, namespace: string | undefined, ...present: string[]): string[] =>
  [...told.unseen("/Pod", namespace, new Set(present))].flatMap(([{ uid }, isToldOf]) =>
    isToldOf ? [uid] : [],
  );

describe("what was told", () => {
  test("is what the server knows from before, and whatever was told since", () => {
    const told = new ToldFacts();
    told.known(known("shop", { a: "digest-a", b: "digest-b" }));
    expect(told.isNews(place("a"), "digest-a")).toBe(false);
    expect(told.isNews(place("b"), "other---")).toBe(true);
    expect(told.isNews(place("c"), "digest-c")).toBe(true);
    told.told(place("c"), "digest-c");
    expect(told.isNews(place("c"), "digest-c")).toBe(false);
    told.outdated(place("c"));
    expect(told.isNews(place("c"), "digest-c")).toBe(true);
  });

  test("a page with fewer digests than objects makes the others be told again", () => {
    const told = new ToldFacts();
    told.known({ ...known("shop", { a: "digest-a", b: "" }), digests: Buffer.from("digest-a123") });
    expect(told.isNews(place("a"), "digest-a")).toBe(false);
    expect(told.isNews(place("b"), "123")).toBe(true);
    expect(gone(told, undefined)).toEqual(["a", "b"]);
  });

  test("an object of which nothing has left for the server goes without a word", () => {
    const told = new ToldFacts();
    told.known(known("shop", { a: "digest-a" }));
    told.told(place("b"), "digest-b");
    told.told(place("c"), "digest-c");
    told.sent("c");
    expect([told.forget(place("a")), told.forget(place("b")), told.forget(place("c"))]).toEqual([
      true,
      false,
      true,
    ]);
    expect(told.forget(place("a"))).toBe(false);
  });

  test("what is not there any more is gone where everything was read, and only there", () => {
    const told = new ToldFacts();
    told.known(known("shop", { a: "digest-a", b: "digest-b" }));
    told.known(known("other", { c: "digest-c" }));
    told.told(place("d"), "digest-d");
    expect(gone(told, "shop", "b")).toEqual(["a"]);
    expect(gone(told, undefined, "b")).toEqual(["c"]);
    expect(gone(told, undefined, "b")).toEqual([]);
    expect([...told.unseen("/Service", undefined, new Set())]).toEqual([]);
  });
});
