import { AuditFilters, createValidator, type AuditRecord } from "@bowline/api";

import type { ApiPlugin } from "../api/http-api.ts";
import { identityOf } from "../http/admission.ts";
import { requireRole } from "@bowline/auth";
import { limitOf } from "../http/query.ts";
import type { AuditLog } from "@bowline/store";
import { recordListBody, readRecordQuery, type RecordListBody } from "./record-query.ts";

const parameters = {
  filterNames: Object.keys(AuditFilters.properties),
  validate: createValidator(AuditFilters),
  otherNames: ["limit", "cursor"],
};

/** The audit log, for admins. */
export function auditRoutes(audit: Pick<AuditLog, "list">): ApiPlugin {
  return (app) => {
    app.get("/api/v1/audit", async (request): Promise<RecordListBody<AuditRecord>> => {
      requireRole(identityOf(request), "admin", "read the audit log");
      const { filters, others } = readRecordQuery(request, parameters);
      const { since, until, ...same } = filters;
      return recordListBody(
        await audit.list({
          ...same,
          fromMs: timeOf(since),
          untilMs: timeOf(until),
          limit: limitOf(others),
          cursor: others["cursor"],
        }),
      );
    });
  };
}

function timeOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text);
}
