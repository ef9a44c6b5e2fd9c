import { isRecord } from "@bowline/core";

/** The part of an object of Bowline that people write: everything else the server says itself. */
export function writtenPart(object: unknown): object {
  if (!isRecord(object)) return {};
  const { apiVersion, kind, metadata, spec } = object;
  const { name, labels, annotations } = isRecord(metadata) ? metadata : {};
  return {
    apiVersion,
    kind,
    metadata: { name, ...filled({ labels, annotations }) },
    spec,
  };
}

/** Maps with nothing in them say nothing. */
function filled(maps: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(maps).filter(([, value]) => isRecord(value) && Object.keys(value).length > 0),
  );
}
