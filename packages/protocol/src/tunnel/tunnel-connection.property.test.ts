import * as fc from "fast-check";
import { expect, test } from "vitest";

import { TunnelModel, type Operation, type Side } from "../testing/tunnel-model.ts";

const seed = 20_260_118;

const stream = fc.nat(5);
const side = fc.constantFrom<Side>("request", "answer");
const size = fc.oneof(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 150_000 }));
const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant("open" as const), hasBody: fc.boolean() }) },
  { weight: 12, arbitrary: fc.record({ do: fc.constant("write" as const), stream, side, bytes: size }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("end" as const), stream, side }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("reset" as const), stream, side }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom("pause" as const, "resume" as const), stream, side }),
  },
  { weight: 10, arbitrary: fc.record({ do: fc.constant("deliver" as const), side, bytes: size }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant("run" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("wait" as const), ms: fc.nat(40) }) },
);

test("whatever happens, every byte arrives once and in order, ends and errors are seen once, and nothing is left", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { maxLength: 80, size: "max" }), async (operations) => {
      const model = new TunnelModel();
      for (const step of operations) await model.apply(step);
      model.finish();
      for (const { reset, request, answer } of model.streams) {
        if (reset) continue;
        expect([request.received, answer.received]).toEqual([request.written, answer.written]);
        expect([request.endsSeen, answer.endsSeen]).toEqual([1, 1]);
      }
      const { server, agent } = model.link;
      expect([server.state, agent.state]).toEqual(["open", "open"]);
      expect([server.streams, agent.streams, server.heldBytes, agent.heldBytes]).toEqual([0, 0, 0, 0]);
      server.close();
      agent.close();
      model.link.settle();
      expect(model.link.clock.pending).toBe(0);
    }),
    { seed, numRuns: 200 },
  );
});
