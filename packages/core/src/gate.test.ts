import { expect, test } from "vitest";

import { Gate } from "./gate.ts";

test("lets a few work at once, the others in their order, and turns away who is too many", async () => {
  const gate = new Gate({ concurrency: 2, maxWaiting: 2 });
  const started: number[] = [];
  const works = Array.from({ length: 5 }, () => Promise.withResolvers<void>());
  const outcomes = works.map(({ promise }, index) =>
    gate
      .pass(() => {
        started.push(index);
        return promise;
      })
      .then(
        () => "done",
        (error: unknown) => error,
      ),
  );
  expect(await outcomes[4]).toMatchObject({ code: "ServerUnavailable" });
  expect(started).toEqual([0, 1]);
  works[1]?.reject(new Error("failed"));
  await outcomes[1];
  expect(started).toEqual([0, 1, 2]);
  // Whoever comes when others have changed places still waits.
  const late = gate.pass(() => {
    started.push(5);
    return Promise.resolve();
  });
  expect(started).toEqual([0, 1, 2]);
  for (const { resolve } of works) resolve();
  await late;
  expect(await Promise.all([outcomes[0], outcomes[2], outcomes[3]])).toEqual(["done", "done", "done"]);
  expect(await gate.pass(() => Promise.resolve("later"))).toBe("later");
});
