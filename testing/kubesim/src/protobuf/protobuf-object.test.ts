import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { builtinSchema } from "../schema/builtin.ts";
import { apiVersionOf } from "../store/resource-type.ts";
import { builtinResourceTypes } from "../store/resource-types.ts";
import { SimStatusError } from "../store/sim-status-error.ts";
import { messageTypesOf } from "./message-types.ts";
import { parseProtobufObject } from "./protobuf-object.ts";
import { bytesField, encodeEnvelope, encodeObject } from "./testing/encode-object.ts";
import { recordedMessages } from "./testing/recorded-messages.ts";
import { ObjectSampler } from "./testing/sample-object.ts";

const recordings = recordedMessages.map(({ object, base64 }) => ({
  name: `${object.kind} in ${object.apiVersion}`,
  object,
  message: Buffer.from(base64, "base64"),
}));

const everyKind = [20, 34]
  .flatMap((minorVersion) => builtinResourceTypes(minorVersion))
  .flatMap(({ kind, served }) => served.map((place) => ({ kind, place, apiVersion: apiVersionOf(place) })));

const pod = { apiVersion: "v1", kind: "Pod" };

/** What is wrong with a body: the message of the Status. Any other error fails the test. */
function refusal(body: Buffer): string | undefined {
  try {
    parseProtobufObject(body);
    return undefined;
  } catch (error) {
    if (!(error instanceof SimStatusError) || error.reason !== "BadRequest") throw error;
    return error.message;
  }
}

describe("a protobuf object", () => {
  it.each(recordings)("is read from what other clients send: $name", ({ object, message }) => {
    expect(parseProtobufObject(message)).toEqual(object);
  });

  it.each(everyKind)(
    "of any content comes back as it went: $apiVersion $kind",
    ({ kind, place, apiVersion }) => {
      const type = builtinSchema(place.group, kind, place.version);
      if (type === undefined) throw new Error(`${apiVersion} ${kind} has no schema`);
      fc.assert(
        fc.property(fc.gen(), (generate) => {
          const fields = new ObjectSampler(generate, messageTypesOf(apiVersion)).object(type);
          const object = { apiVersion, kind, ...fields };
          expect(parseProtobufObject(encodeObject(object))).toEqual(object);
        }),
        { numRuns: 15 },
      );
    },
  );

  it("keeps an explicit zero where JSON keeps it, and no other", () => {
    const object = {
      apiVersion: "apps/v1",
      kind: "Deployment",
      spec: { replicas: 0, template: { spec: { containers: [{ name: "" }], hostname: "", hostPID: false } } },
    };
    expect(parseProtobufObject(encodeObject(object))).toEqual({
      ...object,
      spec: { replicas: 0, template: { spec: { containers: [{ name: "" }] } } },
    });
  });

  it("may come in parts: messages add up, of plain values the last one counts", () => {
    const part = (metadata: object): Buffer => encodeObject({ ...pod, metadata }).subarray(4);
    const rawOf = (envelope: Buffer): Buffer => envelope.subarray(envelope.indexOf("Pod") + 5, -4);
    const parts = [part({ name: "a", labels: { x: "1" } }), part({ labels: { y: "2" } })].map(rawOf);
    expect(parseProtobufObject(encodeEnvelope(pod, Buffer.concat(parts)))).toEqual({
      ...pod,
      metadata: { labels: { x: "1", y: "2" } },
    });
  });

  it("may hold numbers one by one or all at once", () => {
    const packed = bytesField(2, bytesField(14, bytesField(4, Buffer.from([1, 2, 0x96, 1]))));
    expect(parseProtobufObject(encodeEnvelope(pod, packed))).toEqual({
      ...pod,
      spec: { securityContext: { supplementalGroups: [1, 2, 150] } },
    });
  });

  it("may leave out the key or the value of an entry that is empty", () => {
    const entry = (content: Buffer): Buffer => bytesField(1, bytesField(11, content));
    const raw = Buffer.concat([
      entry(bytesField(1, Buffer.from("a"))),
      entry(bytesField(2, Buffer.from("b"))),
    ]);
    expect(parseProtobufObject(encodeEnvelope(pod, raw))).toEqual({
      ...pod,
      metadata: { labels: { a: "", "": "b" } },
    });
  });

  it("may have fields that this version does not know", () => {
    const raw = Buffer.concat([
      bytesField(99, Buffer.from("new")),
      bytesField(1, bytesField(1, Buffer.from("a"))),
    ]);
    expect(parseProtobufObject(encodeEnvelope(pod, raw))).toEqual({ ...pod, metadata: { name: "a" } });
  });

  it("has plain keys, whatever they are called", () => {
    const metadata = { labels: Object.fromEntries([["__proto__", "x"]]) };
    const read = parseProtobufObject(encodeObject({ ...pod, metadata }));
    expect(JSON.stringify(read?.["metadata"])).toBe('{"labels":{"__proto__":"x"}}');
  });

  it("is not known for custom kinds", () => {
    const names = { apiVersion: "example.com/v1", kind: "Widget" };
    expect(parseProtobufObject(encodeEnvelope(names, Buffer.alloc(0)))).toBeUndefined();
  });
});

describe("a body that is no protobuf object", () => {
  it("is refused with what is wrong with it", () => {
    expect(refusal(Buffer.from("{}"))).toMatch(/does not begin like a protobuf message/);
    expect(refusal(Buffer.alloc(0))).toMatch(/does not begin like a protobuf message/);
    expect(refusal(Buffer.from("k8s\0"))).toMatch(/does not name its kind/);
    expect(refusal(Buffer.from("k8s\0\x0a\x7f"))).toMatch(/unexpected end/);
    expect(refusal(encodeEnvelope(pod, Buffer.from([0x0f])))).toBe(
      'Pod in version "v1" cannot be handled as a Pod: field 1 has the wire type 7, not 2',
    );
  });

  it("is refused where a value makes no sense", () => {
    const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease" };
    const renewed = (time: number[]): Buffer =>
      encodeEnvelope(lease, bytesField(2, bytesField(4, Buffer.from(time))));
    expect(refusal(renewed([0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]))).toMatch(
      /no time of the years/,
    );
    expect(refusal(renewed([0x10, 0x80, 0x94, 0xeb, 0xdc, 0x03]))).toMatch(/nanoseconds/);
    const service = { apiVersion: "v1", kind: "Service" };
    const target = bytesField(2, bytesField(1, bytesField(4, Buffer.from([0x08, 0x02]))));
    expect(refusal(encodeEnvelope(service, target))).toMatch(/a number \(0\) or a string \(1\), not 2/);
    const revision = { apiVersion: "apps/v1", kind: "ControllerRevision" };
    const data = bytesField(2, bytesField(1, Buffer.from("{")));
    expect(refusal(encodeEnvelope(revision, data))).toMatch(/does not hold JSON/);
  });

  it("is refused when it is nested too deep", () => {
    const crd = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" };
    const nested = (levels: number): Buffer => {
      let schema: Buffer = Buffer.alloc(0);
      for (let level = 0; level < levels; level += 1) schema = bytesField(28, schema);
      return encodeEnvelope(crd, bytesField(2, bytesField(7, bytesField(4, bytesField(1, schema)))));
    };
    expect(refusal(nested(90))).toBeUndefined();
    expect(refusal(nested(100))).toMatch(/nested more than 100 deep/);
    expect(refusal(nested(5000))).toMatch(/nested more than 100 deep/);
  });

  it("may be large without harm", () => {
    const groups = bytesField(2, bytesField(14, bytesField(4, Buffer.alloc(1_000_000, 1))));
    expect(refusal(encodeEnvelope(pod, groups))).toBeUndefined();
    const containers = bytesField(2, Buffer.from("\x12\0".repeat(500_000)));
    expect(refusal(encodeEnvelope(pod, containers))).toBeUndefined();
  });

  it("never does worse than being refused", () => {
    fc.assert(
      fc.property(fc.constantFrom(...everyKind), fc.uint8Array({ maxLength: 300 }), (names, bytes) => {
        expect(() => refusal(encodeEnvelope(names, Buffer.from(bytes)))).not.toThrow();
        expect(() => refusal(Buffer.concat([Buffer.from("k8s\0"), bytes]))).not.toThrow();
      }),
      { numRuns: 500 },
    );
  });

  it("never does worse when only a little of it is wrong", () => {
    const spoils = fc.array(fc.record({ at: fc.nat(), byte: fc.nat(255), cut: fc.boolean() }), {
      minLength: 1,
    });
    fc.assert(
      fc.property(fc.constantFrom(...recordings), spoils, ({ message }, spoilt) => {
        let body = Buffer.from(message);
        for (const { at, byte, cut } of spoilt) {
          const offset = at % body.length;
          body[offset] = byte;
          if (cut && offset > 4) body = body.subarray(0, offset);
        }
        expect(() => refusal(body)).not.toThrow();
      }),
      { numRuns: 1000 },
    );
  });
});
