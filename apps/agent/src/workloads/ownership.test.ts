import { ManualClock } from "@bowline/core/testing";
import { describe, expect, test } from "vitest";

import type { ObjectPlace } from "../observe/kube-message.ts";
import { GoneOwners } from "./gone-owners.ts";
import { Ownership } from "./ownership.ts";
import { nameKey } from "./watched-workload.ts";

const place = (uid: string, ownerUid?: string): ObjectPlace => ({
  kind: "/Thing",
  namespace: "shop",
  name: uid,
  uid,
  owner: ownerUid === undefined ? undefined : { uid: ownerUid, kind: { group: "", kind: "Thing" } },
});

const key = (uid: string): string => nameKey("/Thing", "shop", uid);

function start() {
  const clock = new ManualClock();
  const gone = new GoneOwners(clock);
  const ownership = new Ownership(gone);
  const moves: string[] = [];
  ownership.onMoved = ({ place: { uid }, workload = "nobody" }, before = "nobody") =>
    moves.push(`${uid}: ${before} → ${workload}`);
  return { clock, gone, ownership, moves };
}

describe("which object belongs to which Workload", () => {
  test("follows from owners, in whatever order they are seen", () => {
    const { ownership, moves } = start();
    ownership.see(place("pod", "set"));
    ownership.see(place("set", "web"));
    ownership.name(key("web"), "shop");
    expect(moves).toEqual([]);
    ownership.see(place("web"));
    expect(moves).toEqual(["web: nobody → shop", "set: nobody → shop", "pod: nobody → shop"]);
  });

  test("ends with its name in the Workload, also where owners lead in a circle", () => {
    const { ownership, moves } = start();
    ownership.see(place("a", "b"));
    ownership.see(place("b", "a"));
    ownership.name(key("a"), "shop");
    const a = ownership.get("a");
    if (a === undefined) throw new Error("There is none.");
    ownership.review(a);
    expect(moves).toEqual(["a: nobody → shop", "b: nobody → shop"]);
    ownership.unname(key("a"), "shop");
    ownership.review(a);
    expect([a.workload, ownership.get("b")?.workload]).toEqual([undefined, undefined]);
  });

  test("is that of the first of two Workloads that name it, and then of the other one", () => {
    const { ownership, moves } = start();
    ownership.name(key("a"), "first");
    ownership.name(key("a"), "second");
    const a = ownership.see(place("a"));
    ownership.unname(key("a"), "first");
    ownership.review(a);
    expect(moves).toEqual(["a: nobody → first", "a: first → second"]);
  });

  test("stays with what is left when its owner is gone, and is remembered for an hour", async () => {
    const { clock, ownership, moves } = start();
    ownership.name(key("web"), "shop");
    ownership.see(place("web"));
    ownership.see(place("pod", "web"));
    ownership.forget("web");
    expect(ownership.see(place("pod-2", "web")).workload).toBe("shop");
    ownership.forget("pod");
    expect(ownership.workloadRegarding(place("pod"))).toBe("shop");
    await clock.advance(3_600_001);
    expect(ownership.workloadRegarding(place("pod"))).toBeUndefined();
    expect(moves).toHaveLength(3);
  });

  test("is forgotten with the Workload", () => {
    const { ownership, gone } = start();
    ownership.name(key("web"), "shop");
    ownership.see(place("web"));
    ownership.see(place("pod", "web"));
    ownership.forget("web");
    ownership.unname(key("web"), "shop");
    ownership.forgetWorkload("shop");
    expect([ownership.get("pod")?.workload, gone.size]).toEqual([undefined, 0]);
  });

  test("is remembered of so many that are gone, and no more", () => {
    const { gone } = start();
    for (let count = 0; count < 30_000; count++) gone.remember(`u${count}`, "shop");
    expect([gone.size, gone.get("u0"), gone.get("u29999")]).toEqual([20_000, undefined, "shop"]);
  });

  test("kinds that own something are known as long as they do", () => {
    const { ownership } = start();
    ownership.see(place("pod", "web"));
    expect([...ownership.ownerKinds()]).toEqual([{ group: "", kind: "Thing" }]);
    ownership.forget("pod");
    expect([...ownership.ownerKinds()]).toEqual([]);
  });
});
