import { systemClock } from "@bowline/core";
import { zoneRecords } from "@bowline/test-gateway";
import { afterAll, beforeAll, expect, test } from "vitest";

import { a, aaaa, cname, openForTest, WriterStage } from "../testing/writer-stage.ts";
import type { ZoneWriter } from "../model/zone-writer.ts";
import type { Rfc2136Options } from "./rfc2136-writer.ts";

const zone = "example.com";
const owner = "0198c5a0-7a4e-7d3a-9c51-3f1d2b6a8e90/shop";
const other = "0198c5a0-7a4e-7d3a-9c51-3f1d2b6a8e90/other";
const { signal } = new AbortController();
const by = { owner, signal };

let stage: WriterStage;
beforeAll(async () => {
  stage = await WriterStage.start(zone);
});
afterAll(() => stage[Symbol.asyncDispose]());

test("the records of a free host are written with a mark, kept, changed and taken away", async () => {
  const writer = stage.open();
  expect(await writer.look("web.example.com", signal)).toEqual({ sets: [], owner: undefined });
  expect(await writer.put("web.example.com", [a("192.0.2.2", "192.0.2.1")], by)).toEqual({
    outcome: "changed",
  });
  expect(await stage.at("web.example.com", "_bowline.web.example.com")).toEqual([
    `_bowline.web.example.com TXT heritage=bowline,owner=${owner}`,
    "web.example.com A 192.0.2.1",
    "web.example.com A 192.0.2.2",
  ]);
  expect(await writer.put("web.example.com", [a("192.0.2.1", "192.0.2.2")], by)).toEqual({ outcome: "kept" });
  const both = [a("192.0.2.3"), aaaa("2001:db8::1")];
  expect(await writer.put("WEB.Example.com.", both, by)).toEqual({ outcome: "changed" });
  expect(await writer.look("Web.example.com", signal)).toEqual({ sets: both, owner });
  expect(await stage.bind.resolver.resolve6("web.example.com")).toEqual(["2001:db8::1"]);
  expect(await writer.put("web.example.com", [{ ...a("192.0.2.3"), ttlSeconds: 30 }], by)).toEqual({
    outcome: "changed",
  });
  expect(await writer.remove("web.example.com", { ...by, owner: other })).toBe("foreign");
  expect(await writer.remove("web.example.com", by)).toBe("gone");
  expect(await writer.remove("web.example.com", by)).toBe("gone");
  expect(await stage.at("web.example.com", "_bowline.web.example.com")).toEqual([]);
});

test("what is another's is left alone, with or without a mark of whatever kind", async () => {
  const writer = stage.open();
  await stage.nsupdate(
    "update add plain.example.com. 60 A 192.0.2.9",
    "update add led.example.com. 60 CNAME elsewhere.example.net.",
    'update add a-soon.example.com. 60 TXT "heritage=external-dns,external-dns/owner=us"',
    'update add old.example.com. 60 TXT "heritage=external-dns,external-dns/owner=us,external-dns/resource=x"',
    'update add _bowline.odd.example.com. 60 TXT "hello"',
  );
  await writer.put("theirs.example.com", [a("192.0.2.1")], { owner: other, signal });
  const before = await zoneRecords(stage.bind);
  const put = async (host: string): Promise<unknown> => writer.put(host, [a("192.0.2.1")], by);
  expect(await put("plain.example.com")).toEqual({ outcome: "foreign", has: "A 192.0.2.9, without a mark" });
  expect(await put("led.example.com")).toEqual({
    outcome: "foreign",
    has: "CNAME elsewhere.example.net, without a mark",
  });
  const external = { outcome: "foreign", has: "no address, marked as that of external-dns/us" };
  expect(await put("soon.example.com")).toEqual(external);
  expect(await put("old.example.com")).toEqual(external);
  expect(await put("odd.example.com")).toEqual({
    outcome: "foreign",
    has: `no address, marked as that of "hello"`,
  });
  expect(await put("theirs.example.com")).toEqual({
    outcome: "foreign",
    has: `A 192.0.2.1, marked as that of ${other}`,
  });
  expect(await writer.look("soon.example.com", signal)).toEqual({ sets: [], owner: "external-dns/us" });
  for (const host of ["plain", "led", "soon", "odd", "theirs"]) {
    expect(await writer.remove(`${host}.example.com`, by)).toBe("foreign");
  }
  expect(await zoneRecords(stage.bind)).toEqual(before);
});

test("a text of another host is no mark, though it stands where external-dns has its own", async () => {
  const writer = stage.open();
  await stage.nsupdate('update add a-beside.example.com. 60 TXT "v=spf1 -all"');
  expect(await writer.put("beside.example.com", [a("192.0.2.1")], by)).toEqual({ outcome: "changed" });
  expect(await stage.at("a-beside.example.com")).toEqual(["a-beside.example.com TXT v=spf1 -all"]);
});

test("a CNAME and addresses replace each other in one step; one that stands beside other types is refused", async () => {
  const writer = stage.open();
  await writer.put("turn.example.com", [a("192.0.2.1"), aaaa("2001:db8::1")], by);
  expect(await writer.put("turn.example.com", [cname("LB.example.net.")], by)).toEqual({
    outcome: "changed",
  });
  expect(await writer.put("turn.example.com", [cname("lb.example.net")], by)).toEqual({ outcome: "kept" });
  expect(await stage.at("turn.example.com")).toEqual(["turn.example.com CNAME lb.example.net"]);
  await writer.put("turn.example.com", [a("192.0.2.1")], by);
  expect(await stage.at("turn.example.com")).toEqual(["turn.example.com A 192.0.2.1"]);

  await stage.nsupdate("update add turn.example.com. 60 MX 10 mail.example.net.");
  const refusal = "turn.example.com has records of type MX";
  await expect(writer.put("turn.example.com", [cname("lb.example.net")], by)).rejects.toThrow(refusal);
  expect(await stage.at("turn.example.com")).toEqual(["turn.example.com A 192.0.2.1"]);
  await stage.nsupdate('update add mail.example.com. 60 TXT "v=spf1 -all"');
  await expect(writer.put("mail.example.com", [cname("lb.example.net")], by)).rejects.toThrow("of type TXT");
  expect(await writer.put("mail.example.com", [a("192.0.2.1")], by)).toEqual({ outcome: "changed" });
  expect(await writer.remove("mail.example.com", by)).toBe("gone");
  await writer.remove("turn.example.com", by);
  expect(await stage.bind.resolver.resolveMx("turn.example.com")).toHaveLength(1);
  expect(await stage.at("mail.example.com")).toEqual(["mail.example.com TXT v=spf1 -all"]);
});

test("a wildcard is a host of its own, and what it answers for others does not count as theirs", async () => {
  const writer = stage.open();
  const wild = "*.wild.example.com";
  await writer.put(wild, [cname("lb.example.net")], by);
  expect(await stage.at(wild, "_bowline-wildcard.wild.example.com")).toEqual([
    "*.wild.example.com CNAME lb.example.net",
    `_bowline-wildcard.wild.example.com TXT heritage=bowline,owner=${owner}`,
  ]);
  const host = "one.wild.example.com";
  expect(await writer.look(host, signal)).toEqual({ sets: [], owner: undefined });
  expect(await writer.put(host, [a("192.0.2.1")], { owner: other, signal })).toEqual({ outcome: "changed" });
  expect(await writer.put(host, [cname("lb.example.net")], { owner: other, signal })).toEqual({
    outcome: "changed",
  });
  expect(await writer.look(host, signal)).toEqual({ sets: [cname("lb.example.net")], owner: other });
  expect(await writer.remove(host, { owner: other, signal })).toBe("gone");
  expect(await writer.put("two.wild.example.com", [cname("lb.example.net")], by)).toEqual({
    outcome: "changed",
  });
  expect(await writer.look(wild, signal)).toEqual({ sets: [cname("lb.example.net")], owner });
  // A text of a wildcard stands beside no host, not even that of external-dns.
  await stage.nsupdate(
    'update add *.texts.example.com. 60 TXT "heritage=external-dns,external-dns/owner=us"',
  );
  expect(await writer.put("one.texts.example.com", [a("192.0.2.1")], by)).toEqual({ outcome: "changed" });
});

test("the apex of the zone takes addresses, and no CNAME", async () => {
  const writer = stage.open();
  await expect(writer.put(zone, [cname("lb.example.net")], by)).rejects.toThrow("is the apex of its zone");
  expect(await writer.put(zone, [a("192.0.2.1")], by)).toEqual({ outcome: "changed" });
  expect(await stage.bind.resolver.resolve4(zone)).toEqual(["192.0.2.1"]);
  expect(await writer.remove(zone, by)).toBe("gone");
  expect((await stage.bind.resolver.resolveSoa(zone)).nsname).toBe("ns.example.com");
});

test("owners whose mark is longer than one text have several, which count as one", async () => {
  const writer = stage.open();
  const long = { owner: `0198c5a0-7a4e-7d3a-9c51-3f1d2b6a8e90/${"long-name.".repeat(25)}x`, signal };
  expect(await writer.put("long.example.com", [a("192.0.2.1")], long)).toEqual({ outcome: "changed" });
  expect(await writer.put("long.example.com", [a("192.0.2.2")], long)).toEqual({ outcome: "changed" });
  expect((await writer.look("long.example.com", signal)).owner).toBe(long.owner);
  expect(await writer.remove("long.example.com", long)).toBe("gone");
});

test("of many who want a free host at once one gets it, and what it has is whole", async () => {
  const writers = Array.from({ length: 6 }, () => stage.open());
  const outcomes = await Promise.all(
    writers.map((writer, at) =>
      writer.put("race.example.com", [a(`192.0.2.${at + 1}`, `198.51.100.${at + 1}`)], {
        owner: `race/${at}`,
        signal,
      }),
    ),
  );
  expect(outcomes.map(({ outcome }) => outcome).toSorted()).toEqual([
    "changed",
    "foreign",
    "foreign",
    "foreign",
    "foreign",
    "foreign",
  ]);
  const winner = outcomes.findIndex(({ outcome }) => outcome === "changed");
  expect(await stage.at("race.example.com", "_bowline.race.example.com")).toEqual([
    `_bowline.race.example.com TXT heritage=bowline,owner=race/${winner}`,
    `race.example.com A 192.0.2.${winner + 1}`,
    `race.example.com A 198.51.100.${winner + 1}`,
  ]);
});

test.each([
  ["a host elsewhere", "web.example.org", a("192.0.2.1"), "not in the zone example.com"],
  ["a host that only ends like the zone", "webexample.com", a("192.0.2.1"), "not in the zone"],
  ["a mark", "_bowline.web.example.com", a("192.0.2.1"), "keeps for its marks"],
  ["a label that is too long", `${"a".repeat(64)}.example.com`, a("192.0.2.1"), "1 to 63 letters"],
  [
    "a host whose mark would be too long",
    `${"a.".repeat(118)}example.com`,
    a("192.0.2.1"),
    "longer than 253",
  ],
  ["a star in the middle", "a.*.example.com", a("192.0.2.1"), "not a name of DNS"],
  ["letters beyond ASCII", "bücher.example.com", a("192.0.2.1"), "Punycode"],
  ["no address", "web.example.com", a("192.0.2.256"), "not an address of IPv4"],
  ["an address of one interface", "web.example.com", aaaa("fe80::1%eth0"), "not an address of IPv6"],
  [
    "two names",
    "web.example.com",
    { ...cname("a.example.net"), values: ["a.example.net", "b.example.net"] },
    "one name only",
  ],
  ["no values", "web.example.com", a(), "1 to 100 values"],
  [
    "a weight",
    "web.example.com",
    { ...a("192.0.2.1"), variant: { id: "x", weight: 1 } },
    "by weight or latency",
  ],
  ["a broken TTL", "web.example.com", { ...a("192.0.2.1"), ttlSeconds: -1 }, "TTL"],
] as const)("%s is refused before anybody is asked", async (_, host, set, message) => {
  const writer = stage.open({ server: "127.0.0.1:1" });
  await expect(writer.put(host, [set], by)).rejects.toMatchObject({
    code: "InvalidArgument",
    message: expect.stringContaining(message),
  });
});

test("a wrong key, algorithm or clock is told in words", async () => {
  const { key } = stage;
  const look = (options: Partial<Rfc2136Options>): Promise<unknown> =>
    stage.open(options).look("web.example.com", signal);
  const refusal = (part: string): object => ({ code: "AuthFailed", message: expect.stringContaining(part) });
  await expect(look({ key: { ...key, name: "nobody" } })).rejects.toMatchObject(
    refusal("does not know the key nobody"),
  );
  const wrong = Buffer.from("wrong").toString("base64");
  await expect(look({ key: { ...key, secret: wrong } })).rejects.toMatchObject(
    refusal("has another secret for the key bowline-test"),
  );
  await expect(look({ key: { ...key, algorithm: "hmac-sha512" } })).rejects.toMatchObject(
    refusal("with another algorithm"),
  );
  for (const [offMs, words] of [
    [-3_600_000, "3600 s behind that of the server"],
    [3_600_000, "3600 s ahead of that of the server"],
  ] as const) {
    const clock = { ...systemClock, now: () => Date.now() + offMs };
    await expect(look({ clock })).rejects.toMatchObject(refusal("the clock of this machine is"));
    await expect(look({ clock })).rejects.toThrow(new RegExp(words.replace("3600", "36\\d\\d|3599"), "u"));
  }
  for (const secretText of ["not base64!", ""]) {
    expect(() => stage.open({ key: { ...key, secret: secretText } })).toThrow("is not base64");
  }
});

test("a zone is checked without a change of it: its server, the key, and the right to change it", async () => {
  const before = await stage.bind.resolver.resolveSoa(zone);
  await stage.open().check(signal);
  expect(await stage.bind.resolver.resolveSoa(zone)).toEqual(before);
  const wrong = Buffer.from("wrong").toString("base64");
  const refusal = (code: string): object => ({ code });
  await expect(stage.open({ key: { ...stage.key, secret: wrong } }).check(signal)).rejects.toMatchObject(
    refusal("AuthFailed"),
  );
  const unsigned = openForTest({ server: stage.address, zone });
  await expect(unsigned.check(signal)).rejects.toMatchObject(refusal("Forbidden"));
  await expect(stage.open({ zone: "sub.example.com" }).check(signal)).rejects.toMatchObject({
    code: "NotFound",
    message: expect.stringContaining("it is not the server of sub.example.com"),
  });
  await expect(stage.open({ zone: "example.org" }).check(signal)).rejects.toThrow("the zone example.org");
});

test("what the server does not let us do is told in words", async () => {
  const openWithoutKey = (name: string): ZoneWriter => openForTest({ server: stage.address, zone: name });
  await expect(openWithoutKey(zone).put("web.example.com", [a("192.0.2.1")], by)).rejects.toMatchObject({
    code: "Forbidden",
    message: expect.stringContaining("does not let requests without a key change the zone example.com"),
  });
  await expect(openWithoutKey("example.org").look("web.example.org", signal)).rejects.toMatchObject({
    code: "Forbidden",
    message: expect.stringContaining("ask about the zone example.org"),
  });
  const elsewhere = stage.open({ zone: "example.org" });
  await expect(elsewhere.remove("web.example.org", by)).rejects.toMatchObject({
    code: "NotFound",
    message: expect.stringContaining("does not have the zone example.org"),
  });
  await stage.nsupdate("update add sub.example.com. 60 NS ns.example.net.");
  await expect(stage.open().look("web.sub.example.com", signal)).rejects.toMatchObject({
    code: "NotFound",
    message: expect.stringContaining("delegated to another zone"),
  });
});
