/** Fields that the statuses of both of our kinds share. */
import { integer, list, object, optional, singleLine, text } from "@bowline/api";

const count = { minimum: 0, maximum: 10_000_000 };

/** `namespace/name` */
export const fullName = { ...singleLine, minLength: 3, maxLength: 512 };

export const countFields = {
  selected: integer("How many monitors are selected.", count),
  rejected: integer("How many of them are left out because something is wrong with them.", count),
  scrapeJobs: integer("How many jobs the others became: one for each endpoint.", count),
};

/** In the status itself, and in those parts of it that `countFields` are in. */
export const expectedTargets = optional(
  integer(
    "How many targets the jobs find, before rules of the monitors' own; missing where it cannot be counted.",
    count,
  ),
);

export const monitorCounts = object("The monitors, in numbers.", countFields);

const rejected = object("An object that is left out, or of which a part is.", {
  object: text("Its kind, its namespace and its name.", { ...singleLine, maxLength: 1024 }),
  path: text("The field that is wrong.", { maxLength: 1024 }),
  message: text("What is wrong, as a sentence.", { maxLength: 4096 }),
  fix: text("What its owner can do, as a sentence.", { maxLength: 4096 }),
});

export const rejectedList = list("What is left out and why; the first of them.", rejected, { maxItems: 50 });

export const targetlessList = list(
  "Monitors with a job that finds no target, and why; the first of them.",
  object("A monitor.", {
    object: text("Its kind, its namespace and its name.", { ...singleLine, maxLength: 1024 }),
    message: text("Why it finds none, as a sentence.", { maxLength: 1024 }),
  }),
  { maxItems: 50 },
);

export const withoutMeaning = list(
  "Fields that are set and mean nothing here, as in objects of another operator.",
  object("A field.", {
    path: text("The field.", { maxLength: 1024 }),
    reason: text("Why it means nothing, as a sentence.", { maxLength: 1024 }),
  }),
  { maxItems: 100 },
);
