import type { Static } from "typebox";

import { dateTime, integer, line, list, map, object, optional, text, withDefault } from "../schema/build.ts";
import {
  commitId,
  dnsLabel,
  labelValue,
  printableAscii,
  qualifiedName,
  singleLine,
  type TextRule,
} from "../schema/text-rule.ts";

/** The version that every object of the REST API carries. */
export const apiVersion = "bowline.dev/v1";
export type ApiVersion = typeof apiVersion;

const uuidV7: TextRule = {
  pattern: "^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$",
  expects: "a UUID of version 7",
  maxLength: 36,
};

export const resourceVersionRule: TextRule = {
  pattern: "^[0-9]+$",
  expects: "a resourceVersion that the server gave out",
  minLength: 1,
  // Every number with so many digits is exact in JavaScript; there will not be as many writes.
  maxLength: 15,
};

/** Kubernetes bounds all annotations together, by 256 KiB; here each is bounded, and their number. */
const maxAnnotationLength = 32_768;

const userFields = {
  name: text("Unique among the objects of its kind; cannot be changed.", {
    ...dnsLabel,
    examples: ["prod-eu-1"],
  }),
  labels: withDefault(
    map("Keys and values to select objects by.", text("The value of the label.", labelValue), {
      keys: qualifiedName,
      maxProperties: 64,
    }),
    {},
  ),
  annotations: withDefault(
    map(
      "Notes for people and programs; not selectable.",
      text("The value of the annotation.", { maxLength: maxAnnotationLength }),
      { keys: qualifiedName, maxProperties: 64 },
    ),
    {},
  ),
};

/**
 * The mark of an object that comes from git. It is no annotation, which whoever writes the object could take away or
 * put on: what a client sends here is ignored, as in all that the server writes.
 */
const managedBy = object("The ConfigSource that writes the object; missing for one that people write.", {
  configSource: text("Name of the ConfigSource.", dnsLabel),
  repository: line("The address of its repository.", singleLine, 2048),
  file: line("The file that the object is in.", singleLine, 1024),
  commit: text("The commit that last changed it.", commitId),
  overriddenBy: optional(
    text("Who has changed it since by hand; the next commit sets it right.", printableAscii),
  ),
});
export type ManagedBy = Static<typeof managedBy>;

const serverFields = {
  id: text("Given by the server, never reused, sorts by time of creation.", uuidV7),
  generation: integer("Counts the changes of the spec.", { minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  resourceVersion: text(
    "Changes with every write; send it back to write only if nobody else did.",
    resourceVersionRule,
  ),
  createdAt: dateTime("When the object was created."),
  updatedAt: dateTime("When the object was last written, by whomever."),
  deletedAt: optional(
    dateTime("When the deletion was asked for; the object goes once its finalizers are done."),
  ),
  finalizers: optional(
    list(
      "What has to happen before a deleted object may go; kept by controllers.",
      text("Name of a finalizer.", qualifiedName),
      { maxItems: 16, unique: true },
    ),
  ),
  managedBy: optional(managedBy),
};

export const Metadata = object("What every object carries.", { ...userFields, ...serverFields });
export type Metadata = Static<typeof Metadata>;

/** The part of metadata that belongs to whoever writes the object. */
export const UserMetadata = object("The part of the metadata that a client writes.", userFields);
export type UserMetadata = Static<typeof UserMetadata>;

/** Accepted when an object is written back as it was read, and ignored; only the resourceVersion has a meaning. */
export const serverMetadataFields: readonly string[] = Object.keys(serverFields).filter(
  (name) => name !== "resourceVersion",
);
