import { AuditFilters, createValidator, type AuditRecord } from "@bowline/api";

import type { ApiPlugin } from "../api/http-api.ts";
import { identityOf } from "../http/admission.ts";
import type { Identity } from "@bowline/auth";
import { BowlineError } from "@bowline/core";
import { limitOf } from "../http/query.ts";
import type { AuditLog } from "@bowline/store";
import { recordListBody, readRecordQuery, type RecordListBody } from "./record-query.ts";

const parameters = {
  filterNames: Object.keys(AuditFilters.properties),
  validate: createValidator(AuditFilters),
  otherNames: ["limit", "cursor"],
};

/** The audit log: all of it for admins, for others what they did themselves. */
export function auditRoutes(audit: Pick<AuditLog, "list">): ApiPlugin {
  return (app) => {
    app.get("/api/v1/audit", async (request): Promise<RecordListBody<AuditRecord>> => {
      const { filters, others } = readRecordQuery(request, parameters);
      const { since, until, ...same } = filters;
      return recordListBody(
        await audit.list({
          ...same,
          user: visibleUser(identityOf(request), same.user),
          fromMs: timeOf(since),
          untilMs: timeOf(until),
          limit: limitOf(others),
          cursor: others["cursor"],
        }),
      );
    });
  };
}

/** The user whose records are listed; undefined for all. `Forbidden` when those of somebody else are asked for. */
function visibleUser({ user, role }: Identity, wanted: string | undefined): string | undefined {
  if (role === "admin") return wanted;
  if (wanted === undefined || wanted === user) return user;
  throw new BowlineError(
    "Forbidden",
    `You may not read what others did: you are "${user}" with the role ${role}, and it takes the role admin. Leave out the user to see what you did yourself.`,
  );
}

function timeOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text);
}
