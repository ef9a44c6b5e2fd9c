import { ManualClock } from "@bowline/core/testing";

import type { Provider } from "../provider.ts";
import type { ProviderStage, ProviderWorld } from "./provider-stage.ts";
import { shopCredential, ShopProvider } from "./shop-provider.ts";
import { ShopWorld, type ShopThing } from "./shop-world.ts";

const shopKey = "canary-key-0f3a9c";
const othersMark = "of somebody else";
const isForeign = ({ mark }: ShopThing): boolean => mark === othersMark;

/** The contract on the provider of the test kit, or on one that is made badly. */
export function shopStage(
  makeProvider: (world: ShopWorld) => Provider = (world) => new ShopProvider(world),
): ProviderStage {
  return {
    spec: { provider: "kind", kind: { nodes: 1 } },
    changedSpec: { provider: "kind", kind: { nodes: 2 } },
    credentials: { [shopCredential]: { key: shopKey } },
    openWorld: () => Promise.resolve(openWorld(makeProvider)),
  };
}

function openWorld(makeProvider: (world: ShopWorld) => Provider): ProviderWorld {
  const clock = new ManualClock();
  const shop = new ShopWorld(clock);
  return {
    clock,
    pass: (ms) => clock.advance(ms),
    provider: () => makeProvider(shop),
    inventory: () => Promise.resolve(shop.count((thing) => !isForeign(thing))),
    complete: ({ kind }) => ({ network: 1, machine: kind?.nodes ?? 1, door: 1 }),
    putForeign: () => {
      shop.make({ type: "door", name: "bowline-web-door", mark: othersMark, takesMs: 0 });
      return Promise.resolve();
    },
    foreign: () => Promise.resolve(shop.with(isForeign)),
    takeAway: () => Promise.resolve(shop.clear()),
    breakDown: (isDown) => {
      shop.isDown = isDown;
      return Promise.resolve();
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
