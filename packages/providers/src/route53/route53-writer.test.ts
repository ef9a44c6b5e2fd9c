import { ManualClock } from "@bowline/core/testing";
import { BowlineError, systemClock, TokenBucket } from "@bowline/core";
import type { RecordSet, ZoneWriter } from "@bowline/dns";
import { FakeAws } from "@bowline/test-aws";
import { afterEach, beforeEach, expect, test } from "vitest";

import { SdkApi } from "../eks/aws/sdk-api.ts";
import type { OperationInput } from "../eks/aws/aws-api.ts";
import { openRoute53, type Route53Options } from "./route53-writer.ts";

const owner = "0198c5a0-7a4e-7d3a-9c51-3f1d2b6a8e90/shop";
const other = "0198c5a0-7a4e-7d3a-9c51-3f1d2b6a8e90/other";
const { signal } = new AbortController();
const by = { owner, signal };
const host = "web.example.com";

let aws: FakeAws;
let api: SdkApi;
let zoneId: string;

beforeEach(async () => {
  aws = await FakeAws.start({ clock: new ManualClock() });
  aws.world.settings.route53PerSecond = 10_000;
  api = new SdkApi();
  zoneId = aws.addHostedZone("example.com");
});
afterEach(async () => {
  await api[Symbol.asyncDispose]();
  await aws[Symbol.asyncDispose]();
});

function open(options: Partial<Route53Options> = {}): ZoneWriter {
  const key = aws.addUser("bowline");
  return openRoute53({
    api,
    endpoint: aws.url,
    zone: "example.com",
    credential: () => Promise.resolve({ ...key }),
    clock: systemClock,
    rate: new TokenBucket({ perSecond: 10_000, burst: 1_000 }),
    ...options,
  });
}

const a = (...values: readonly string[]): RecordSet => ({ type: "A", values, ttlSeconds: 60 });
const cname = (value: string): RecordSet => ({ type: "CNAME", values: [value], ttlSeconds: 60 });

type Change = NonNullable<
  NonNullable<OperationInput<"route53:ChangeResourceRecordSets">["ChangeBatch"]>["Changes"]
>[number];

/** Somebody else's change. */
async function change(...changes: readonly [Change["Action"], string, string, ...string[]][]): Promise<void> {
  const Changes = changes.map(([Action, Name, Type, ...values]): Change => ({
    Action,
    ResourceRecordSet: {
      Name,
      Type: Type as NonNullable<Change["ResourceRecordSet"]>["Type"],
      TTL: 60,
      ResourceRecords: values.map((Value) => ({ Value })),
    },
  }));
  const target = { region: "us-east-1", endpoint: aws.url, key: aws.addUser("somebody") };
  await api.send(target, "route53:ChangeResourceRecordSets", {
    HostedZoneId: zoneId,
    ChangeBatch: { Changes },
  });
}

/** What is in the zone beside what makes it one. */
function records(): string[] {
  const zone = aws.world.hostedZones.peek(zoneId);
  return [...(zone?.records.values() ?? [])]
    .filter(({ type }) => type !== "SOA" && type !== "NS")
    .map(({ name, type, setIdentifier, weight, region, values }) =>
      [name, type, setIdentifier, weight, region, ...values].filter((each) => each !== undefined).join(" "),
    )
    .toSorted();
}

const mark = (name: string, of = owner): string => `${name} TXT "heritage=bowline,owner=${of}"`;

test("the records of a free host are written with a mark, kept, changed and taken away", async () => {
  const writer = open();
  expect(await writer.look(host, signal)).toEqual({ sets: [], owner: undefined });
  expect(await writer.put("Web.example.com.", [a("192.0.2.2", "192.0.2.1")], by)).toEqual({
    outcome: "changed",
  });
  expect(records()).toEqual([mark("_bowline.web.example.com."), "web.example.com. A 192.0.2.1 192.0.2.2"]);
  expect(await writer.put(host, [a("192.0.2.1", "192.0.2.2")], by)).toEqual({ outcome: "kept" });
  const both: RecordSet[] = [a("192.0.2.3"), { type: "AAAA", values: ["2001:db8::1"], ttlSeconds: 60 }];
  expect(await writer.put(host, both, by)).toEqual({ outcome: "changed" });
  expect(await writer.look(host, signal)).toEqual({ sets: both, owner });
  expect(await writer.put(host, [cname("LB.example.net.")], by)).toEqual({ outcome: "changed" });
  expect(await writer.put(host, [cname("lb.example.net")], by)).toEqual({ outcome: "kept" });
  expect(await writer.remove(host, { ...by, owner: other })).toBe("foreign");
  expect(await writer.remove(host, by)).toBe("gone");
  expect(await writer.remove(host, by)).toBe("gone");
  expect(records()).toEqual([]);
});

test("a host is answered by weight or latency, and can change from one to the other", async () => {
  const writer = open();
  const weighted = (id: string, weight: number): RecordSet => ({
    ...a(`192.0.2.${weight}`),
    variant: { id, weight },
  });
  const near = (id: string, region: string): RecordSet => ({
    ...cname(`${id}.example.net`),
    variant: { id, region },
  });
  expect(await writer.put(host, [weighted("eu", 10), weighted("us", 90)], by)).toEqual({
    outcome: "changed",
  });
  expect(records().slice(1)).toEqual([
    "web.example.com. A eu 10 192.0.2.10",
    "web.example.com. A us 90 192.0.2.90",
  ]);
  expect(await writer.put(host, [weighted("us", 90), weighted("eu", 10)], by)).toEqual({ outcome: "kept" });
  expect(await writer.put(host, [weighted("us", 0), weighted("eu", 10)], by)).toEqual({ outcome: "changed" });
  const regions = [near("eu", "eu-west-1"), near("us", "us-east-1")];
  expect(await writer.put(host, regions, by)).toEqual({ outcome: "changed" });
  expect(await writer.look(host, signal)).toEqual({ sets: regions, owner });
  expect(await writer.put(host, [a("192.0.2.1")], by)).toEqual({ outcome: "changed" });
  expect(records().slice(1)).toEqual(["web.example.com. A 192.0.2.1"]);
});

test.each([
  ["two sets without a variant", [a("192.0.2.1"), a("192.0.2.2")], "each needs a variant"],
  ["a variant of nothing", [{ ...a("192.0.2.1"), variant: { id: "eu" } }], "either a weight or a region"],
  [
    "a weight that is too heavy",
    [{ ...a("192.0.2.1"), variant: { id: "eu", weight: 256 } }],
    "from 0 to 255",
  ],
  [
    "weights beside regions",
    [
      { ...a("192.0.2.1"), variant: { id: "eu", weight: 1 } },
      { ...a("192.0.2.1"), variant: { id: "us", region: "us-east-1" } },
    ],
    "must all have weights",
  ],
  [
    "two of one id",
    [
      { ...a("192.0.2.1"), variant: { id: "eu", weight: 1 } },
      { ...a("192.0.2.2"), variant: { id: "eu", weight: 1 } },
    ],
    "two variants eu",
  ],
] as const)("%s is refused before AWS is asked", async (_, sets, message) => {
  await expect(open().put(host, sets, by)).rejects.toMatchObject({
    code: "InvalidArgument",
    message: expect.stringContaining(message),
  });
  expect(aws.calls).toEqual([]);
});

test("what is another's is left alone, and other types stay", async () => {
  const writer = open();
  const external = '"heritage=external-dns,external-dns/owner=us"';
  await change(
    ["CREATE", "plain.example.com", "A", "192.0.2.9"],
    ["CREATE", "cname-soon.example.com", "TXT", external],
    ["CREATE", "old.example.com", "TXT", '"v=spf1 -all"', external],
    ["CREATE", "mail.example.com", "MX", "10 mail.example.net."],
  );
  await writer.put("theirs.example.com", [a("192.0.2.1")], { owner: other, signal });
  const before = records();
  const put = (name: string): Promise<unknown> => writer.put(`${name}.example.com`, [a("192.0.2.1")], by);
  expect(await put("plain")).toEqual({ outcome: "foreign", has: "A 192.0.2.9, without a mark" });
  const has = "no address, marked as that of external-dns/us";
  expect(await put("soon")).toEqual({ outcome: "foreign", has });
  expect(await put("old")).toEqual({ outcome: "foreign", has });
  expect(await put("theirs")).toEqual({ outcome: "foreign", has: `A 192.0.2.1, marked as that of ${other}` });
  await expect(writer.put("mail.example.com", [cname("lb.example.net")], by)).rejects.toThrow("of type MX");
  await expect(writer.put("example.com", [cname("lb.example.net")], by)).rejects.toThrow(
    "the apex of its zone",
  );
  expect(records()).toEqual(before);
  expect(await put("mail")).toEqual({ outcome: "changed" });
  expect(await writer.remove("mail.example.com", by)).toBe("gone");
  expect(records()).toEqual(before);
});

test("a wildcard is a host of its own, and long owners fit", async () => {
  const writer = open();
  const long = { owner: `0198c5a0-7a4e-7d3a-9c51-3f1d2b6a8e90/${"long-name.".repeat(25)}x`, signal };
  expect(await writer.put("*.example.com", [a("192.0.2.1")], long)).toEqual({ outcome: "changed" });
  expect(await writer.look("*.example.com", signal)).toEqual({ sets: [a("192.0.2.1")], owner: long.owner });
  expect(await writer.look("one.example.com", signal)).toEqual({ sets: [], owner: undefined });
  expect(await writer.put("*.example.com", [a("192.0.2.2")], long)).toEqual({ outcome: "changed" });
  expect(await writer.remove("*.example.com", long)).toBe("gone");
  expect(records()).toEqual([]);
});

test("what somebody else did since the look makes the batch fail, and is looked at anew", async () => {
  const writer = open();
  /** Comes after the look and before the batch, once. */
  const between = (interfere: () => Promise<void>): ZoneWriter => {
    let isDone = false;
    const send: typeof api.send = async (target, name, input) => {
      if (name === "route53:ChangeResourceRecordSets" && !isDone) {
        isDone = true;
        await interfere();
      }
      return api.send(target, name, input);
    };
    return open({
      api: { send, token: api.token.bind(api), [Symbol.asyncDispose]: () => Promise.resolve() },
    });
  };
  const taken = between(async () => {
    await writer.put(host, [a("192.0.2.7")], { owner: other, signal });
  });
  expect(await taken.put(host, [a("192.0.2.1")], by)).toEqual({
    outcome: "foreign",
    has: `A 192.0.2.7, marked as that of ${other}`,
  });
  const handedOver = between(async () => {
    await writer.remove(host, { owner: other, signal });
    await writer.put(host, [a("192.0.2.7")], by);
  });
  expect(await handedOver.put(host, [a("192.0.2.1")], { owner: other, signal })).toMatchObject({
    outcome: "foreign",
  });
  const edited = between(() =>
    change(["DELETE", host, "A", "192.0.2.7"], ["CREATE", host, "A", "192.0.2.8"]),
  );
  expect(await edited.put(host, [a("192.0.2.1")], by)).toEqual({ outcome: "changed" });
  expect(records()).toEqual([mark("_bowline.web.example.com."), "web.example.com. A 192.0.2.1"]);
  const gone = between(async () => {
    await writer.remove(host, by);
    await change(["CREATE", host, "A", "192.0.2.66"]);
  });
  expect(await gone.remove(host, by)).toBe("foreign");
  expect(records()).toEqual(["web.example.com. A 192.0.2.66"]);
});

test("an answer that is lost was a deed, and a refusal that is for good is told as AWS says it", async () => {
  const writer = open();
  aws.faults.plan({ action: "route53:ChangeResourceRecordSets", fault: { kind: "lose-answer" } });
  await expect(writer.put(host, [a("192.0.2.1")], by)).rejects.toMatchObject({
    code: "Unreachable",
    retryable: true,
  });
  expect(records()).toEqual([mark("_bowline.web.example.com."), "web.example.com. A 192.0.2.1"]);
  expect(await writer.put(host, [a("192.0.2.1")], by)).toEqual({ outcome: "kept" });
  const fault = { kind: "refuse", code: "InvalidChangeBatch", message: "[for a reason of its own]" } as const;
  aws.faults.plan({ action: "route53:ChangeResourceRecordSets", fault, times: 9 });
  const refusal = { code: "Invalid", message: expect.stringContaining("for a reason of its own") };
  await expect(writer.put(host, [a("192.0.2.2")], by)).rejects.toMatchObject(refusal);
  await expect(writer.remove(host, by)).rejects.toMatchObject(refusal);
});

test("the zone is found by its name and kind, or named by its id", async () => {
  const privateId = aws.addHostedZone("example.com", { isPrivate: true });
  await open({ isPrivate: true }).put(host, [a("192.0.2.1")], by);
  expect(records()).toEqual([]);
  expect(aws.world.hostedZones.peek(privateId)?.records.size).toBe(4);
  const secondId = aws.addHostedZone("example.com");
  await expect(open().look(host, signal)).rejects.toMatchObject({
    code: "InvalidArgument",
    message: expect.stringContaining(secondId),
  });
  expect(await open({ zoneId }).put(host, [a("192.0.2.1")], by)).toEqual({ outcome: "changed" });
  await expect(open({ zone: "example.org" }).look("web.example.org", signal)).rejects.toMatchObject({
    code: "NotFound",
    message: expect.stringContaining("no public hosted zone example.org"),
  });
  await expect(open({ zoneId: "Z0" }).look(host, signal)).rejects.toMatchObject({ code: "NotFound" });
});

test("throttling, rights and keys are told in words, and no secret is in them", async () => {
  const writer = open();
  aws.faults.plan({ fault: { kind: "throttle" } });
  await expect(writer.look(host, signal)).rejects.toMatchObject({
    code: "TooManyRequests",
    retryable: true,
    message: expect.stringContaining("five in a second"),
  });
  aws.faults.plan({ fault: { kind: "error" } });
  await expect(writer.look(host, signal)).rejects.toMatchObject({ code: "ServerError", retryable: true });
  const Statement = [{ Effect: "Allow" as const, Action: "route53:List*", Resource: "*" }];
  const reader = aws.addUser("reader", [{ Version: "2012-10-17", Statement }]);
  const reading = open({ credential: () => Promise.resolve({ ...reader }) });
  await expect(reading.put(host, [a("192.0.2.1")], by)).rejects.toMatchObject({
    code: "Forbidden",
    message: expect.stringContaining("does not permit route53:ChangeResourceRecordSets"),
  });
  const wrong = { ...reader, secretAccessKey: "canary-of-a-secret" };
  const error: unknown = await open({ credential: () => Promise.resolve(wrong) })
    .look(host, signal)
    .catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    code: "AuthFailed",
    message: expect.stringContaining("SignatureDoesNotMatch"),
  });
  expect(JSON.stringify(BowlineError.from(error))).not.toContain("canary");
  const RoleArn = aws.addAssumableRole("dns", {});
  const assuming = { ...aws.addUser("first"), roleArn: RoleArn };
  expect(await open({ credential: () => Promise.resolve(assuming) }).put(host, [a("192.0.2.1")], by)).toEqual(
    {
      outcome: "changed",
    },
  );
});

test("a zone is checked without a change of it: its id, its name, and the key", async () => {
  await open().check(signal);
  await open({ zoneId }).check(signal);
  await expect(open({ zone: "example.org" }).check(signal)).rejects.toMatchObject({ code: "NotFound" });
  await expect(open({ zone: "example.org", zoneId }).check(signal)).rejects.toMatchObject({
    code: "NotFound",
    message: "The hosted zone in Route 53 is not that of example.org; check its id.",
  });
  const wrong = { ...aws.addUser("checking"), secretAccessKey: "another" };
  const checking = open({ credential: () => Promise.resolve(wrong) });
  await expect(checking.check(signal)).rejects.toMatchObject({ code: "AuthFailed" });
  expect(records()).toEqual([]);
});

test("a writer keeps to its share of the account's calls, and gives up when nobody waits", async () => {
  aws.world.settings.route53PerSecond = 5;
  const clock = new ManualClock();
  const writer = open({ clock, rate: new TokenBucket({ perSecond: 4, burst: 4 }) });
  const gone = new AbortController();
  const look = writer.look(host, gone.signal).catch((error: unknown) => error);
  await clock.armed(250);
  expect(aws.calls).toHaveLength(4);
  gone.abort(new BowlineError("Cancelled", "enough"));
  expect(await look).toMatchObject({ message: "enough" });
  expect(aws.calls).toHaveLength(4);
});
