import { expectTypeOf, test } from "vitest";

import type { Credential } from "../kinds/credential.ts";
import type { WorkloadInstance } from "../kinds/workload-instance.ts";
import type { ApiObject, DesiredObjectOf, WriteBodyOf } from "./kind.ts";

test("the types of an object come from its schemas", () => {
  expectTypeOf<WorkloadInstance["kind"]>().toEqualTypeOf<"WorkloadInstance">();
  expectTypeOf<WorkloadInstance["spec"]["prune"]>().toEqualTypeOf<boolean>();
  expectTypeOf<WorkloadInstance["spec"]["placement"]["clusters"]>().toEqualTypeOf<string[] | undefined>();
  expectTypeOf<WorkloadInstance["spec"]["deletionPolicy"]>().toEqualTypeOf<"delete" | "retain">();
  expectTypeOf<WorkloadInstance["status"]["observedGeneration"]>().toEqualTypeOf<number | undefined>();
  expectTypeOf<Credential["spec"]["data"]>().toEqualTypeOf<Record<string, string> | undefined>();
  expectTypeOf<WorkloadInstance>().toExtend<ApiObject>();
});

test("what has a default may be left out of a body, and what has none may not", () => {
  type Body = WriteBodyOf<typeof WorkloadInstance>;
  expectTypeOf<{
    metadata: { name: string };
    spec: { definition: string; placement: { clusters: string[] } };
  }>().toExtend<Body>();
  expectTypeOf<{
    metadata: { name: string };
    spec: { placement: { clusters: string[] } };
  }>().not.toExtend<Body>();
  expectTypeOf<{
    metadata: { name: string };
    spec: DesiredObjectOf<typeof WorkloadInstance>["spec"];
  }>().toExtend<Body>();
});
