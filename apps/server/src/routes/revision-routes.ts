import {
  createValidator,
  RevisionContentFilters,
  RevisionFilters,
  WorkloadDefinition,
  type WorkloadRevision,
  type WorkloadRevisionContent,
} from "@bowline/api";
import { BowlineError } from "@bowline/core";
import { objectKey, readRevision, type ManifestObject, type RevisionContent } from "@bowline/manifests";
import { notFound, type Revision, type Store } from "@bowline/store";
import { maskedSecret } from "@bowline/workloads";
import type { FastifyRequest } from "fastify";

import type { ApiPlugin } from "../api/http-api.ts";
import { requireName } from "../api/object-api.ts";
import { limitOf } from "../http/query.ts";
import { readRecordQuery, recordListBody, type RecordListBody } from "./record-query.ts";

type RevisionRoutesStore = Pick<Store, "objects" | "revisions">;

const listParameters = {
  filterNames: Object.keys(RevisionFilters.properties),
  validate: createValidator(RevisionFilters),
  otherNames: ["limit", "cursor"],
};
const contentParameters = {
  filterNames: Object.keys(RevisionContentFilters.properties),
  validate: createValidator(RevisionContentFilters),
  otherNames: [],
};

/** What definitions said before, for whoever may read what they say now. */
export function revisionRoutes(store: RevisionRoutesStore): ApiPlugin {
  const config = { action: { verb: "get", kind: WorkloadDefinition } } as const;
  const path = "/api/v1/workloaddefinitions/:name/revisions";
  return (app) => {
    app.get<{ Params: { name: string } }>(
      path,
      { config },
      async (request): Promise<RecordListBody<WorkloadRevision>> => {
        const { filters, others } = readRecordQuery(request, listParameters);
        const { definition, counts } = await readDefinition(store, request, filters);
        const limit = limitOf(others);
        const page = await store.revisions.list(definition.metadata.id, { limit, cursor: others["cursor"] });
        return recordListBody({
          ...page,
          items: page.items.map((revision) => revisionBody(revision, counts)),
        });
      },
    );
    app.get<{ Params: { name: string; id: string } }>(
      `${path}/:id`,
      { config },
      async (request): Promise<WorkloadRevisionContent> => {
        const { filters } = readRecordQuery(request, contentParameters);
        const { definition, counts } = await readDefinition(store, request, {});
        const found = await requireRevision(store, definition, request.params.id);
        const other =
          filters.against === undefined
            ? undefined
            : await requireRevision(store, definition, filters.against);
        return {
          ...revisionBody(found.revision, counts),
          manifests: shownManifests(found, other),
          parameters: [...found.content.parameters],
        };
      },
    );
  };
}

async function readDefinition(
  { objects, revisions }: RevisionRoutesStore,
  request: FastifyRequest<{ Params: { name: string } }>,
  { instance }: RevisionFilters,
) {
  const name = requireName(WorkloadDefinition, request);
  const definition = await objects.get(WorkloadDefinition, name);
  if (definition === undefined) throw notFound(WorkloadDefinition, name);
  return { definition, counts: await revisions.clusterCounts({ definition: name, instance }) };
}

interface FoundRevision {
  readonly revision: Revision;
  readonly content: RevisionContent;
}

/** Revisions that only another definition has are not told: whoever asks has named this one. */
async function requireRevision(
  { revisions }: RevisionRoutesStore,
  { metadata }: WorkloadDefinition,
  id: string,
): Promise<FoundRevision> {
  const revision = id.length > maxIdLength ? undefined : await revisions.get(metadata.id, id);
  const content = revision === undefined ? undefined : await revisions.content(id);
  if (revision !== undefined && content !== undefined) {
    return { revision, content: readRevision({ id, content }) };
  }
  throw new BowlineError(
    "NotFound",
    `The WorkloadDefinition ${metadata.name} has no revision ${id.slice(0, maxIdLength)}; the last ten are kept, and those that are in a cluster.`,
  );
}

/** As long as the id of any revision. */
const maxIdLength = 71;

/** The older of two is the one before, whichever of them is asked for. */
function shownManifests(found: FoundRevision, other: FoundRevision | undefined): ManifestObject[] {
  const keyOf = (object: ManifestObject): string => JSON.stringify(objectKey(object));
  const others = new Map(other?.content.objects.map((object) => [keyOf(object), object]));
  const isOlder = other !== undefined && found.revision.resolvedAtMs < other.revision.resolvedAtMs;
  return found.content.objects.map((object) =>
    maskedSecret(object, others.get(keyOf(object)), isOlder ? "before" : "after"),
  );
}

function revisionBody(revision: Revision, counts: ReadonlyMap<string, number>): WorkloadRevision {
  const { id, resolvedAtMs, commit, signer, author, objects, bytes, state } = revision;
  return {
    id,
    resolvedAt: new Date(resolvedAtMs).toISOString(),
    ...(commit === undefined ? {} : { commit }),
    ...(signer === undefined ? {} : { signer }),
    ...(author === undefined ? {} : { author }),
    objects,
    bytes,
    current: state === "resolved",
    clusters: counts.get(id) ?? 0,
  };
}
