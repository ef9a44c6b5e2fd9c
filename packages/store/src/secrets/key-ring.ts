import { createCipheriv, createDecipheriv, type KeyObject, createSecretKey } from "node:crypto";

import { BowlineError, type RandomBytes } from "@bowline/core";

export interface EncryptionKey {
  /** Names the key in what it encrypted; never given to another key. */
  readonly id: string;
  /** 32 bytes. */
  readonly key: Uint8Array;
}

/** Where a secret belongs. Bound into the ciphertext, so that it cannot be moved to another place in the database. */
export interface SecretPlace {
  readonly kind: string;
  readonly id: string;
  readonly field: string;
}

const algorithm = "aes-256-gcm";
const keyBytes = 32;
const ivBytes = 12;
const tagBytes = 16;
const keyIdPattern = /^[A-Za-z0-9_-]{1,64}$/u;

/** Encrypts with the first of its keys and decrypts with whichever was used. The text is `v1.<key id>.<iv, tag, data>`. */
export class KeyRing {
  readonly #newestId: string;
  readonly #keys: ReadonlyMap<string, KeyObject>;
  readonly #randomBytes: RandomBytes;

  /** The newest key comes first. */
  constructor(keys: readonly EncryptionKey[], randomBytes: RandomBytes) {
    const [newest] = keys;
    if (newest === undefined) throw new BowlineError("InvalidArgument", "There has to be an encryption key.");
    for (const { id, key } of keys) requireUsable(id, key);
    this.#newestId = newest.id;
    this.#keys = new Map(keys.map(({ id, key }) => [id, createSecretKey(key)]));
    if (this.#keys.size !== keys.length) {
      throw new BowlineError("InvalidArgument", "Two encryption keys have the same id.");
    }
    this.#randomBytes = randomBytes;
  }

  /** Text is encrypted as UTF-8. */
  encrypt(plaintext: string | Uint8Array, place: SecretPlace): string {
    const iv = this.#randomBytes(ivBytes);
    const cipher = createCipheriv(algorithm, this.#requireKey(this.#newestId), iv, {
      authTagLength: tagBytes,
    });
    cipher.setAAD(placeBytes(place));
    const data = [cipher.update(bytesOf(plaintext)), cipher.final()];
    return `v1.${this.#newestId}.${Buffer.concat([iv, cipher.getAuthTag(), ...data]).toString("base64url")}`;
  }

  /** `DecryptionFailed` when the key is not in the ring, or the text is not what was encrypted for this place. */
  decrypt(ciphertext: string, place: SecretPlace): string {
    return this.decryptBytes(ciphertext, place).toString("utf8");
  }

  /** The same for what was encrypted as bytes. */
  decryptBytes(ciphertext: string, place: SecretPlace): Buffer {
    const { keyId, bytes } = parse(ciphertext);
    const key = this.#requireKey(keyId);
    try {
      const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, ivBytes), {
        authTagLength: tagBytes,
      });
      decipher.setAAD(placeBytes(place));
      decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
      const data = decipher.update(bytes.subarray(ivBytes + tagBytes));
      return Buffer.concat([data, decipher.final()]);
    } catch (error) {
      throw new BowlineError(
        "DecryptionFailed",
        `The stored secret ${place.field} of ${place.kind} ${place.id} does not fit the key "${keyId}": the key or the database was changed.`,
        { cause: error },
      );
    }
  }

  isNewest(ciphertext: string): boolean {
    return parse(ciphertext).keyId === this.#newestId;
  }

  /** The newest first. */
  get ids(): readonly string[] {
    return [...this.#keys.keys()];
  }

  has(id: string): boolean {
    return this.#keys.has(id);
  }

  #requireKey(id: string): KeyObject {
    const key = this.#keys.get(id);
    if (key !== undefined) return key;
    throw new BowlineError(
      "DecryptionFailed",
      `A stored secret needs the encryption key "${id}", which is not among the keys of this server.`,
    );
  }
}

/** The id of the key that a text was encrypted with. */
export function keyIdOf(ciphertext: string): string {
  return parse(ciphertext).keyId;
}

function requireUsable(id: string, key: Uint8Array): void {
  if (!keyIdPattern.test(id)) {
    throw new BowlineError(
      "InvalidArgument",
      "The id of an encryption key has 1 to 64 letters, digits, '-' and '_'.",
    );
  }
  if (key.length === keyBytes) return;
  throw new BowlineError(
    "InvalidArgument",
    `The encryption key "${id}" has ${key.length} bytes instead of 32.`,
  );
}

function bytesOf(plaintext: string | Uint8Array): Uint8Array {
  return typeof plaintext === "string" ? Buffer.from(plaintext, "utf8") : plaintext;
}

function placeBytes({ kind, id, field }: SecretPlace): Buffer {
  return Buffer.from(JSON.stringify([kind, id, field]));
}

function parse(ciphertext: string): { readonly keyId: string; readonly bytes: Buffer } {
  const [version, keyId, data] = ciphertext.split(".");
  if (version !== "v1" || keyId === undefined || data === undefined) {
    throw new BowlineError("DecryptionFailed", "A stored secret is not in a form this version knows.");
  }
  return { keyId, bytes: Buffer.from(data, "base64url") };
}
