import { randomInt, randomUUID } from "node:crypto";

/** Where uids and generated names come from; tests may pass one that repeats itself. */
export interface IdentitySource {
  uid(): string;
  /** The five characters that end a generated name. */
  nameSuffix(): string;
}

/** No vowels and nothing that looks like another character, so that no word comes about by chance. */
const alphabet = "bcdfghjklmnpqrstvwxz2456789";

export const randomIdentitySource: IdentitySource = {
  uid: () => randomUUID(),
  nameSuffix: () => Array.from({ length: 5 }, () => alphabet[randomInt(alphabet.length)]).join(""),
};
