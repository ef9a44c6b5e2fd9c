import { describe, expect, test } from "vitest";

import { removeResource, type ResourceHandler } from "../ensure-resource.ts";
import type { ProviderAnswer, ProviderWork } from "../provider.ts";
import { contractChecks, providerContract } from "./provider-contract.ts";
import type { ContractTopic } from "./provider-stage.ts";
import { shopCredential, ShopProvider } from "./shop-provider.ts";
import { shopStage } from "./shop-stage.ts";

providerContract("of the test kit", shopStage());

/** Forgets what it made when it was not told so: it knows things by their id only. */
class Forgetful extends ShopProvider {
  protected override handler(work: ProviderWork, step: string, type: string): ResourceHandler {
    const handler = super.handler(work, step, type);
    return {
      ...handler,
      find: async (record) => (record.id === undefined ? undefined : handler.find(record)),
    };
  }
}

class Greedy extends ShopProvider {
  protected override handler(work: ProviderWork, step: string, type: string): ResourceHandler {
    const handler = super.handler(work, step, type);
    const find = async (record: Parameters<ResourceHandler["find"]>[0]) => {
      const found = await handler.find(record);
      return found === undefined ? undefined : { ...found, isForeign: false };
    };
    return { ...handler, find };
  }
}

class Leaky extends ShopProvider {
  protected override handler(work: ProviderWork, step: string, type: string): ResourceHandler {
    const handler = super.handler(work, step, type);
    return {
      ...handler,
      create: async (record) => ({
        ...(await handler.create(record)),
        attributes: await work.credential(shopCredential),
      }),
    };
  }
}

class Careless extends ShopProvider {
  override async delete(work: ProviderWork): Promise<ProviderAnswer> {
    const [first] = await work.records.list();
    if (first === undefined) return { state: "gone" };
    const record = await removeResource(work, this.handler(work, first.step, first.type));
    return record?.state === "gone" ? { state: "gone" } : { state: "deleting" };
  }
}

class Credulous extends ShopProvider {
  protected override handler(work: ProviderWork, step: string, type: string): ResourceHandler {
    const handler = super.handler(work, step, type);
    return { ...handler, find: (record) => handler.find(record).catch(() => undefined) };
  }
}

class Blind extends ShopProvider {
  override async observe(work: ProviderWork): Promise<ProviderAnswer> {
    const records = await work.records.list();
    const isReady = records.length === 3 && records.every(({ state }) => state === "ready");
    return isReady ? { state: "ready" } : super.observe(work);
  }
}

class Hasty extends ShopProvider {
  override async observe(work: ProviderWork): Promise<ProviderAnswer> {
    return (await work.records.list()).length === 0 ? this.next(work) : super.observe(work);
  }
}

class Unprepared extends ShopProvider {
  override async next(work: ProviderWork): Promise<ProviderAnswer> {
    await work.call("ask for a discount", () => Promise.resolve());
    return super.next(work);
  }
}

describe("the contract finds out a provider that", () => {
  test.each<[string, typeof ShopProvider, ContractTopic, string]>([
    [
      "makes a thing twice when it was killed",
      Forgetful,
      "dying while creating",
      "killed after 2 of 21, «create network network»: expected { network: 2",
    ],
    [
      "makes a thing twice when the answer was lost",
      Forgetful,
      "lost answers",
      "«create network network», call 1 of 6: expected { network: 2",
    ],
    [
      "makes a thing twice when its records are lost",
      Forgetful,
      "lost records",
      "to deeply equal { network: 1, machine: 1, door: 1 }",
    ],
    [
      "forgets what it was about to make when it deletes",
      Forgetful,
      "deleting what is half made",
      "expected { network: 1 } to deeply equal {}",
    ],
    [
      "takes what belongs to others",
      Greedy,
      "things of others",
      "the state of a cluster whose name is taken",
    ],
    ["writes down a secret", Leaky, "secrets", "texts with a secret in them"],
    ["leaves something", Careless, "deleting", "expected { machine: 1, door: 1 } to deeply equal {}"],
    ["takes an outage for an end", Credulous, "outages", "what is told while nothing answers"],
    ["believes its records", Blind, "things taken away", "the cluster was not lost"],
    [
      "does not look at a changed spec",
      Blind,
      "changing",
      "machine: 1, door: 1 } to deeply equal { network: 1, machine: 2",
    ],
    ["makes something when it should look", Hasty, "looking", "calls of a plan and a look"],
    [
      "calls before it has written down what for",
      Unprepared,
      "creating",
      "records before «ask for a discount»",
    ],
  ])("%s", async (_, Made, topic, sentence) => {
    const stage = shopStage((world) => new Made(world));
    const [first] = contractChecks[topic];
    await expect(first?.check(stage)).rejects.toThrow(sentence);
  });
});
