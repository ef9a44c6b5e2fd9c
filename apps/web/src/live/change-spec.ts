import type { Kind, ObjectOf } from "@bowline/api";

import { getObject } from "./objects.ts";
import { request, RequestFailed } from "./request.ts";

/** Controllers write the status now and then, but hardly each time between two requests of ours. */
const maxAttempts = 5;
const staleStatuses = new Set([409, 412]);

type Shown = Pick<ObjectOf<Kind>, "metadata">;

/** Changes parts of a spec only while it is as it was shown: the status may change meanwhile. */
export async function changeSpec(kind: Kind, shown: Shown, spec: object): Promise<void> {
  await whileAsShown(kind, shown, (match) =>
    request(addressOf(kind, shown), {
      method: "PATCH",
      body: { spec },
      headers: { "content-type": "application/merge-patch+json", ...match },
    }),
  );
}

/** Puts another text in the place of an object, or has the server look at it only, while it is as it was shown. */
export async function replaceObject(
  kind: Kind,
  shown: Shown,
  { body, dryRun }: { readonly body: object; readonly dryRun: boolean },
): Promise<object> {
  const put = (match: Readonly<Record<string, string>>): Promise<object> =>
    request<object>(`${addressOf(kind, shown)}${dryRun ? "?dryRun=true" : ""}`, {
      method: "PUT",
      body,
      headers: match,
    });
  return whileAsShown(kind, shown, put, (now) => hasSameText(shown, now));
}

/** A generation is of the spec alone, and the text has these too. */
function hasSameText({ metadata: before }: Shown, { metadata: now }: Shown): boolean {
  return isSameMap(before.labels, now.labels) && isSameMap(before.annotations, now.annotations);
}

type Texts = Readonly<Record<string, string>>;

function isSameMap(one: Texts, other: Texts): boolean {
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...keys].every((key) => Object.hasOwn(one, key) && one[key] === other[key]);
}

function addressOf({ plural }: Kind, { metadata }: Shown): string {
  return `/api/v1/${plural}/${encodeURIComponent(metadata.name)}`;
}

async function whileAsShown<Answer>(
  kind: Kind,
  shown: Shown,
  write: (match: Readonly<Record<string, string>>) => Promise<Answer>,
  isAsShown: (now: Shown) => boolean = () => true,
): Promise<Answer> {
  const { name, id, generation } = shown.metadata;
  let { resourceVersion } = shown.metadata;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await write({ "if-match": `"${resourceVersion}"` });
    } catch (error) {
      const isStale = error instanceof RequestFailed && staleStatuses.has(error.failure.status);
      if (!isStale || attempt === maxAttempts) throw error;
      const now = await getObject(kind, name);
      const { metadata } = now;
      if (metadata.id !== id || metadata.generation !== generation || !isAsShown(now)) throw error;
      ({ resourceVersion } = metadata);
    }
  }
}
