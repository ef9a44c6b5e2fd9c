import { randomUUID } from "node:crypto";

import { Cluster } from "@bowline/api";
import { BowlineError, hasCode } from "@bowline/core";
import { findCondition, removeCondition, setCondition } from "@bowline/runtime";
import type { Store } from "@bowline/store";

import type { ObjectTask } from "./object-task.ts";

export interface Expiry {
  /** When there is something to tell or to do; `Infinity` for never. */
  readonly againMs: number;
  /** Its deletion was asked for. */
  readonly isDeleted: boolean;
}

const dayMs = 24 * 60 * 60_000;
/** How soon it is tried again to delete what others still name. */
const retryMs = 60 * 60_000;
const expiring = "Expiring";

/** Tells that a cluster is not needed any more, a day before and when it is over; deletes it where that is wanted. */
export async function keepExpiry(
  cluster: Cluster,
  task: ObjectTask<typeof Cluster>,
  objects: Pick<Store["objects"], "delete">,
): Promise<Expiry> {
  const { expiresAt, autoDelete = false } = cluster.spec;
  const known = findCondition(cluster.status.conditions, expiring);
  if (expiresAt === undefined) {
    if (known !== undefined) await task.writeStatus(withoutExpiring);
    return { againMs: Infinity, isDeleted: false };
  }
  const leftMs = Date.parse(expiresAt) - task.nowMs();
  if (leftMs > dayMs) {
    if (known !== undefined) await task.writeStatus(withoutExpiring);
    return { againMs: leftMs - dayMs, isDeleted: false };
  }
  const isOver = leftMs <= 0;
  const [reason, message] = isOver
    ? ["Expired", `It was needed until ${expiresAt}.${autoDelete ? "" : " Delete it, or give it more time."}`]
    : ["ExpiresSoon", `It is needed until ${expiresAt}.${autoDelete ? " Then it is deleted." : ""}`];
  if (known?.reason !== reason) await task.recordEvent({ type: "Warning", reason, message });
  const update = { type: expiring, status: "True" as const, reason, message };
  const { generation } = cluster.metadata;
  const nowMs = task.nowMs();
  await task.writeStatus((status) => ({
    ...status,
    conditions: [...setCondition(status.conditions, { ...update, observedGeneration: generation }, nowMs)],
  }));
  if (!isOver) return { againMs: leftMs, isDeleted: false };
  return autoDelete ? deleteExpired(cluster, task, objects) : { againMs: Infinity, isDeleted: false };
}

function withoutExpiring(status: Cluster["status"]): Cluster["status"] {
  return { ...status, conditions: [...removeCondition(status.conditions, expiring)] };
}

/** What names it is not changed for that, and what is protected stays. */
async function deleteExpired(
  { kind, metadata: { name, id }, spec }: Cluster,
  task: ObjectTask<typeof Cluster>,
  objects: Pick<Store["objects"], "delete">,
): Promise<Expiry> {
  try {
    await objects.delete(Cluster, name, {
      id,
      fence: task.fence,
      audit: ({ object }) => ({
        actor: {},
        verb: "delete",
        outcome: "allowed",
        httpStatus: 202,
        kind: object.kind,
        name: object.metadata.name,
        message: `${kind} ${name} was needed until ${spec.expiresAt ?? ""}, and has spec.autoDelete.`,
        requestId: randomUUID(),
      }),
    });
    return { againMs: Infinity, isDeleted: true };
  } catch (thrown) {
    if (!hasCode(thrown, "StillReferenced")) throw thrown;
    const { message } = BowlineError.from(thrown);
    await task.recordEvent({ type: "Warning", reason: "ExpiredNotDeleted", message });
    return { againMs: retryMs, isDeleted: false };
  }
}
