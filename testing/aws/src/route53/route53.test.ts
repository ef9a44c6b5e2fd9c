import {
  ChangeResourceRecordSetsCommand,
  ListHostedZonesByNameCommand,
  ListResourceRecordSetsCommand,
  Route53Client,
  type ResourceRecordSet,
} from "@aws-sdk/client-route-53";
import { ManualClock } from "@bowline/core/testing";
import { expect, onTestFinished, test } from "vitest";

import { FakeAws } from "../fake-aws.ts";

interface Stage {
  readonly aws: FakeAws;
  readonly clock: ManualClock;
  readonly client: Route53Client;
  readonly zoneId: string;
  /** Each change is `[action, set]`. */
  readonly change: (
    ...changes: readonly (readonly ["CREATE" | "DELETE" | "UPSERT", ResourceRecordSet])[]
  ) => Promise<unknown>;
  readonly names: () => Promise<string[]>;
}

async function openStage(): Promise<Stage> {
  const clock = new ManualClock();
  const aws = await FakeAws.start({ clock });
  onTestFinished(() => aws[Symbol.asyncDispose]());
  aws.world.settings.route53PerSecond = 1_000;
  const options = { region: "eu-west-1", endpoint: aws.url, maxAttempts: 1 };
  const client = new Route53Client({ ...options, credentials: aws.addUser("root") });
  const zoneId = aws.addHostedZone("example.com");
  return {
    aws,
    clock,
    client,
    zoneId,
    change: (...changes) => {
      const Changes = changes.map(([Action, ResourceRecordSet]) => ({ Action, ResourceRecordSet }));
      return client.send(
        new ChangeResourceRecordSetsCommand({ HostedZoneId: zoneId, ChangeBatch: { Changes } }),
      );
    },
    names: async () => {
      const { ResourceRecordSets = [] } = await client.send(
        new ListResourceRecordSetsCommand({ HostedZoneId: zoneId }),
      );
      return ResourceRecordSets.map(({ Name, Type, SetIdentifier = "" }) =>
        `${Name} ${Type} ${SetIdentifier}`.trim(),
      );
    },
  };
}

const a = (Name: string, ...values: readonly string[]): ResourceRecordSet => ({
  Name,
  Type: "A",
  TTL: 60,
  ResourceRecords: values.map((Value) => ({ Value })),
});

const invalid = (message: string): object => ({
  name: "InvalidChangeBatch",
  message: expect.stringContaining(message),
});

test("a batch is made as a whole or not at all", async () => {
  const { change, names } = await openStage();
  await change(["CREATE", a("web.example.com", "192.0.2.1")]);
  const other = a("other.example.com", "192.0.2.1");
  await expect(
    change(["CREATE", other], ["CREATE", a("Web.example.com.", "192.0.2.2")]),
  ).rejects.toMatchObject(
    invalid("Tried to create resource record set [name='web.example.com.', type='A'] but it already exists"),
  );
  await expect(
    change(["CREATE", other], ["DELETE", a("web.example.com", "192.0.2.2")]),
  ).rejects.toMatchObject(invalid("do not match the current values"));
  await expect(
    change(["CREATE", other], ["DELETE", a("gone.example.com", "192.0.2.2")]),
  ).rejects.toMatchObject(invalid("but it was not found"));
  await expect(
    change(["CREATE", other], ["CREATE", a("web.example.org", "192.0.2.2")]),
  ).rejects.toMatchObject(invalid("is not permitted in zone example.com."));
  expect(await names()).toEqual(["example.com. NS", "example.com. SOA", "web.example.com. A"]);
  await change(["DELETE", a("web.example.com", "192.0.2.1")], ["CREATE", a("web.example.com", "192.0.2.2")]);
  await change(["UPSERT", a("*.example.com", "192.0.2.3")]);
  expect(await names()).toEqual([
    "example.com. NS",
    "example.com. SOA",
    String.raw`\052.example.com. A`,
    "web.example.com. A",
  ]);
});

test("what may not stand at one name is refused: a CNAME at the apex or beside others, routing of two kinds", async () => {
  const { change } = await openStage();
  const cname = { ...a("web.example.com", "lb.example.net"), Type: "CNAME" } as const;
  await expect(change(["CREATE", { ...cname, Name: "example.com" }])).rejects.toMatchObject(
    invalid("at apex"),
  );
  await change(["CREATE", cname]);
  await expect(change(["CREATE", a("web.example.com", "192.0.2.1")])).rejects.toMatchObject(
    invalid("conflicts"),
  );
  const weighted = { ...a("split.example.com", "192.0.2.1"), SetIdentifier: "one", Weight: 10 };
  await change(["CREATE", weighted], ["CREATE", { ...weighted, SetIdentifier: "two", Weight: 90 }]);
  await expect(change(["CREATE", a("split.example.com", "192.0.2.1")])).rejects.toMatchObject(
    invalid("because a non-simple RRSet"),
  );
  const { Weight: _weight, ...bare } = weighted;
  await expect(
    change(["CREATE", { ...bare, SetIdentifier: "three", Region: "eu-west-1" }]),
  ).rejects.toMatchObject(invalid("because a non-latency RRSet"));
  const text = { ...a("text.example.com", "without quotes"), Type: "TXT" } as const;
  await expect(change(["CREATE", text])).rejects.toMatchObject(invalid("quotation marks"));
  const long = { ...text, ResourceRecords: [{ Value: `"${"x".repeat(256)}"` }] };
  await expect(change(["CREATE", long])).rejects.toMatchObject(invalid("CharacterStringTooLong"));
});

test("lists begin where they are told to, in the order of the labels, and have pages", async () => {
  const { aws, change, client, zoneId } = await openStage();
  await change(
    ...["b", "a", "x.a"].map((each) => ["CREATE", a(`${each}.example.com`, "192.0.2.1")] as const),
  );
  const start = { HostedZoneId: zoneId, StartRecordName: "a.example.com", MaxItems: 2 };
  const page = await client.send(new ListResourceRecordSetsCommand(start));
  expect(page.ResourceRecordSets?.map(({ Name }) => Name)).toEqual(["a.example.com.", "x.a.example.com."]);
  expect([page.IsTruncated, page.NextRecordName, page.NextRecordType]).toEqual([true, "b.example.com.", "A"]);
  const privateId = aws.addHostedZone("example.com", { isPrivate: true });
  aws.addHostedZone("example.net");
  const { HostedZones = [] } = await client.send(
    new ListHostedZonesByNameCommand({ DNSName: "example.com" }),
  );
  expect(HostedZones.map(({ Name }) => Name)).toEqual(["example.com.", "example.com.", "example.net."]);
  expect(HostedZones.filter(({ Config }) => Config?.PrivateZone).map(({ Id }) => Id)).toEqual([
    `/hostedzone/${privateId}`,
  ]);
  await expect(client.send(new ListResourceRecordSetsCommand({ HostedZoneId: "Z0" }))).rejects.toMatchObject({
    name: "NoSuchHostedZone",
  });
});

test("the account has five calls in a second, and policies are kept to", async () => {
  const { aws, clock, client, zoneId } = await openStage();
  aws.world.settings.route53PerSecond = 5;
  const list = new ListResourceRecordSetsCommand({ HostedZoneId: zoneId });
  for (let call = 1; call <= 5; call += 1) await client.send(list);
  await expect(client.send(list)).rejects.toMatchObject({ name: "Throttling", message: "Rate exceeded" });
  await clock.advance(200);
  await client.send(list);
  await clock.advance(1_000);
  const credentials = aws.addUser("reader", [
    {
      Version: "2012-10-17",
      Statement: [{ Effect: "Allow", Action: "route53:List*", Resource: "*" }],
    },
  ]);
  const reader = new Route53Client({ region: "eu-west-1", endpoint: aws.url, maxAttempts: 1, credentials });
  await reader.send(list);
  const batch = {
    Changes: [{ Action: "CREATE" as const, ResourceRecordSet: a("a.example.com", "192.0.2.1") }],
  };
  const command = new ChangeResourceRecordSetsCommand({ HostedZoneId: zoneId, ChangeBatch: batch });
  await expect(reader.send(command)).rejects.toMatchObject({ name: "AccessDenied" });
});
